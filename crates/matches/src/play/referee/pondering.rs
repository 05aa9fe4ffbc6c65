//! Pondering, in games with two seats.

use buxtehude::protocol::{BestMove, Go};
use buxtehude::rules::{Seat, Turn};

use super::fault::Wait;
use super::game::Game;
use crate::plan::rules::{Position, PositionError};
use crate::play::clock;
use crate::play::engine::{Answer, AnswerError, Engine};

impl Game<'_> {
    /// Requests the move of the engine in `seat`, by a `go` or by ending its pondering.
    ///
    /// # Errors
    /// Why it does not answer, and the longest wait.
    pub(super) fn ask(
        &mut self,
        seat: Seat,
        engine: &mut Engine,
    ) -> Result<Answer, (AnswerError, Wait)> {
        let stall = self.referee.plan.patience.stall;
        let clock = &mut self.clocks[seat.index()];
        match self.pondered[seat.index()].take() {
            Some(pondered) if self.request.position() == pondered => {
                let wait = Wait::for_answer(clock, stall);
                match engine.ponder_hit(wait.time) {
                    Ok(Some(answer)) => return Ok(answer),
                    Ok(None) => {}
                    Err(error) => return Err((error, wait)),
                }
            }
            Some(_) => {
                let wait = Wait::for_stop(clock);
                match engine.stop_pondering(wait.time) {
                    Ok(Some(stopped)) => clock.charge_stop(stopped.used()),
                    Ok(None) => {}
                    Err(error) => return Err((error, wait)),
                }
            }
            None => {}
        }
        let wait = Wait::for_answer(clock, stall);
        let searchmoves = self.searchmoves(seat, &self.position);
        let go = clock::go(&self.clocks, seat, searchmoves);
        let answer = engine.ask(self.request.with_go(go), wait.time);
        answer.map_err(|error| (error, wait))
    }

    /// Starts pondering of the engine in `seat`, if it named a legal expected move after which it is to move.
    /// An error in sending the commands is reported by the engine's next turn.
    ///
    /// # Errors
    /// [`PositionError::Rules`] if a rules program fails.
    pub(super) fn begin_pondering(
        &mut self,
        seat: Seat,
        engine: &mut Engine,
        answer: &BestMove,
    ) -> Result<(), PositionError> {
        let Some(expected) = answer.ponder.as_ref().filter(|_| self.specs[seat.index()].ponder)
        else {
            return Ok(());
        };
        let mut next = self.position.clone();
        match next.play(expected) {
            Ok(()) if next.turn() == Turn::Seat(seat) => {}
            Ok(()) | Err(PositionError::Action(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
        let searchmoves = self.searchmoves(seat, &next);
        let go = Go { ponder: true, ..clock::go(&self.clocks, seat, searchmoves) };
        let (request, position) = self.request.with_next(expected, go);
        if engine.ponder(request).is_ok() {
            self.pondered[seat.index()] = Some(position);
        }
        Ok(())
    }

    /// Stops all pondering at the end of the game. An engine that does not stop is killed, but does not lose the game.
    pub(super) fn end_pondering(&mut self, engines: &mut [Option<Engine>]) {
        for ((pondered, engine), clock) in self.pondered.iter_mut().zip(engines).zip(&self.clocks) {
            if let Some((_, engine)) = pondered.take().zip(engine.as_mut())
                && engine.stop_pondering(clock.wait_for_stop()).is_err()
            {
                engine.dismiss();
            }
        }
    }

    fn searchmoves(&self, seat: Seat, position: &Position) -> Vec<String> {
        if self.specs[seat.index()].legal { position.legal_actions() } else { Vec::new() }
    }
}
