//! A second implementation of Hase und Igel, only for tests: slow, obvious, and sharing nothing with the library.
//!
//! It follows the printed rules: squares are words, moves are the integers of the notation, and every question is
//! answered by a look at all squares or all hares. [`Race::events`] names the rules applied, so that a test can tell
//! which rules it has covered.

mod tables;

pub use tables::{DECK, LETTUCES, VARIANTS, Variant};

/// Maximum number of carrots of a hare.
const MAX_HOLDING: i32 = 65535;

#[derive(Clone, Debug)]
pub struct Hare {
    pub square: i32,
    pub carrots: i32,
    pub lettuces: i32,
    pub misses: bool,
}

/// State of a race. Seats count from 0.
#[derive(Clone, Debug)]
pub struct Race {
    pub variant: &'static Variant,
    pub track: Vec<&'static str>,
    pub hares: Vec<Hare>,
    pub turn: usize,
    /// Carrots paid for the move to a hare square, while its card is due.
    pub paid: Option<i32>,
    /// Seats in finishing order.
    pub finished: Vec<usize>,
    /// Number of each card of `DECK` drawn since the last shuffle.
    pub drawn: [u32; 8],
    /// Rules applied by the last move or card.
    pub events: Vec<String>,
}

/// Price of n squares forward.
pub fn cost(n: i32) -> i32 {
    (1..=n).sum()
}

impl Race {
    pub fn start(variant: &'static Variant, players: usize) -> Race {
        let hare = Hare { square: 0, carrots: variant.carrots, lettuces: LETTUCES, misses: false };
        Race {
            variant,
            track: variant.track(),
            hares: vec![hare; players],
            turn: 0,
            paid: None,
            finished: vec![],
            drawn: [0; 8],
            events: vec![],
        }
    }

    pub fn kind(&self, square: i32) -> &'static str {
        self.track[square as usize]
    }

    /// `true` if all hares but one have finished.
    pub fn is_over(&self) -> bool {
        self.finished.len() == self.hares.len() - 1
    }

    /// The seat's final place, if it is decided.
    pub fn final_place(&self, seat: usize) -> Option<usize> {
        let place = self.finished.iter().position(|&other| other == seat);
        match place {
            Some(before) => Some(before + 1),
            None if self.is_over() => Some(self.hares.len()),
            None => None,
        }
    }

    fn ahead(&self, seat: usize) -> i32 {
        let square = self.hares[seat].square;
        self.hares.iter().filter(|h| h.square > square).count() as i32
    }

    fn behind(&self, seat: usize) -> i32 {
        let square = self.hares[seat].square;
        self.hares.iter().filter(|h| h.square < square).count() as i32
    }

    /// The seat's current place in the race.
    pub fn place(&self, seat: usize) -> i32 {
        1 + self.ahead(seat)
    }

    /// Income of the seat to move before its move.
    pub fn income(&self) -> i32 {
        let hare = &self.hares[self.turn];
        let place = self.place(self.turn);
        let pays = match self.kind(hare.square) {
            "flag" => [1, 5, 6].contains(&place),
            kind => kind == place.to_string(),
        };
        if pays && !hare.misses { 10 * place } else { 0 }
    }

    fn carrots_with_income(&self) -> i32 {
        MAX_HOLDING.min(self.hares[self.turn].carrots + self.income())
    }

    fn is_free(&self, square: i32) -> bool {
        square == 64 || self.hares.iter().all(|hare| hare.square != square)
    }

    fn may_go_forward(&self, n: i32) -> bool {
        let hare = &self.hares[self.turn];
        let target = hare.square + n;
        if target > 64 || !self.is_free(target) || cost(n) > self.carrots_with_income() {
            return false;
        }
        match self.kind(target) {
            "hedgehog" => false,
            "lettuce" => hare.lettuces > 0,
            "finish" => {
                let left = self.carrots_with_income() - cost(n);
                hare.lettuces == 0 && left <= 10 * (self.finished.len() as i32 + 1)
            }
            _ => true,
        }
    }

    /// The nearest hedgehog square behind the seat to move, free or occupied.
    fn nearest_hedgehog(&self) -> Option<i32> {
        let square = self.hares[self.turn].square;
        (0..square).rev().find(|&s| self.kind(s) == "hedgehog")
    }

    /// The legal moves, ascending.
    pub fn moves(&self) -> Vec<i32> {
        if self.is_over() || self.paid.is_some() {
            return vec![];
        }
        let hare = &self.hares[self.turn];
        if hare.misses {
            return vec![0];
        }
        let mut moves = vec![];
        for n in 1..=64 {
            if self.may_go_forward(n) {
                moves.push(n);
            }
        }
        if let Some(hedgehog) = self.nearest_hedgehog()
            && self.is_free(hedgehog)
        {
            moves.push(hedgehog - hare.square);
        }
        if self.kind(hare.square) == "carrot" {
            moves.push(1001);
            if hare.carrots >= 10 {
                moves.push(1002);
            }
        }
        if moves.is_empty() {
            moves.push(0);
        }
        moves.sort_unstable();
        moves
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: i32) {
        assert!(self.moves().contains(&mv), "{mv} in {}", self.text());
        self.events.clear();
        let seat = self.turn;
        let place = self.place(seat);
        let square = self.hares[seat].square;
        if self.nearest_hedgehog().is_some_and(|s| !self.is_free(s)) {
            self.happened("hedgehog taken");
        }
        if self.income() > 0 {
            self.happened(format!("income on {square} in place {place}"));
        }
        self.gain(seat, self.income());
        match mv {
            0 if self.hares[seat].misses => {
                self.happened("turn missed");
                self.hares[seat].misses = false;
                if self.kind(square) == "lettuce" {
                    self.happened(format!("lettuce eaten in place {place}"));
                    self.hares[seat].lettuces -= 1;
                    self.gain(seat, 10 * place);
                }
                self.pass();
            }
            0 => {
                self.happened("back to the start");
                self.hares[seat].square = 0;
                self.hares[seat].carrots = self.variant.carrots;
            }
            1001 => {
                self.happened("take");
                self.gain(seat, 10);
                self.pass();
            }
            1002 => {
                self.happened("give");
                self.hares[seat].carrots -= 10;
                self.pass();
            }
            ..0 => {
                self.happened("back to a hedgehog");
                self.hares[seat].square += mv;
                self.gain(seat, 10 * -mv);
                self.pass();
            }
            1.. => self.go_forward(mv),
        }
    }

    fn go_forward(&mut self, n: i32) {
        let seat = self.turn;
        self.hares[seat].carrots -= cost(n);
        self.hares[seat].square += n;
        match self.kind(self.hares[seat].square) {
            "hare" => {
                self.paid = Some(cost(n));
                return;
            }
            "lettuce" => {
                self.happened("lettuce square reached");
                self.hares[seat].misses = true;
            }
            "finish" => {
                self.finished.push(seat);
                let (place, players) = (self.finished.len(), self.hares.len());
                self.happened(format!("finish in place {place} of {players}"));
            }
            _ => {}
        }
        self.pass();
    }

    /// Passes the turn to the next seat that has not finished.
    fn pass(&mut self) {
        loop {
            self.turn = (self.turn + 1) % self.hares.len();
            if !self.finished.contains(&self.turn) {
                break;
            }
        }
    }

    /// The cards left, with their numbers, in deck order.
    pub fn cards(&self) -> Vec<(&'static str, u32)> {
        if self.paid.is_none() {
            return vec![];
        }
        let left = DECK.iter().zip(self.drawn);
        left.map(|(&(card, _, number), drawn)| (card, number - drawn))
            .filter(|&(_, number)| number > 0)
            .collect()
    }

    /// Draws one of the cards left.
    pub fn draw(&mut self, card: &str) {
        let left = self.cards();
        assert!(left.iter().any(|&(c, _)| c == card), "{card} in {}", self.text());
        self.events.clear();
        let seat = self.turn;
        let paid = self.paid.take().unwrap();
        let index = DECK.iter().position(|&(c, _, _)| c == card).unwrap();
        self.drawn[index] += 1;
        let mut again = false;
        match card {
            "+behind" if self.behind(seat) > self.ahead(seat) => {
                self.happened("+behind: miss a turn");
                self.hares[seat].misses = true;
            }
            "+behind" => {
                self.happened("+behind: move again");
                again = true;
            }
            "+draw" if self.hares[seat].lettuces == 0 => {
                self.happened("+draw: miss a turn");
                self.hares[seat].misses = true;
            }
            "+draw" => {
                self.happened(format!("+draw: with {} lettuces", self.hares[seat].lettuces));
                self.gain(seat, 10 * self.hares[seat].lettuces);
            }
            "+restore" => {
                self.happened("+restore");
                self.hares[seat].carrots = 65;
            }
            "+half" => {
                let odd = self.hares[seat].carrots % 2;
                self.happened(if odd == 1 { "+half: odd" } else { "+half: even" });
                self.hares[seat].carrots = self.hares[seat].carrots / 2 + odd;
            }
            "+free" => {
                self.happened("+free");
                self.gain(seat, paid);
            }
            "+show" => self.happened("+show"),
            "+give" => self.give(),
            "+shuffle" => self.shuffle(),
            _ => unreachable!("{card}"),
        }
        if !again {
            self.pass();
        }
    }

    fn give(&mut self) {
        let seat = self.turn;
        let behind = self.behind(seat);
        let gift = [10, 5, 1, 0]
            .into_iter()
            .find(|gift| gift * behind <= self.hares[seat].carrots)
            .unwrap();
        self.happened(match behind {
            0 => "+give: nobody behind".into(),
            _ => format!("+give: {gift} each"),
        });
        for other in 0..self.hares.len() {
            if self.hares[other].square < self.hares[seat].square {
                self.hares[seat].carrots -= gift;
                self.gain(other, gift);
            }
        }
    }

    fn shuffle(&mut self) {
        let seat = self.turn;
        let left: u32 =
            DECK.iter().map(|card| card.2).sum::<u32>() - self.drawn.iter().sum::<u32>();
        self.happened(if left == 0 { "+shuffle: last card" } else { "+shuffle: cards left" });
        for other in 0..self.hares.len() {
            if other == seat {
                continue;
            }
            if self.finished.contains(&other) {
                self.happened("+shuffle: finished hare spared");
            } else if self.hares[other].carrots == 0 {
                self.happened("+shuffle: hare without carrots spared");
            } else {
                self.happened("+shuffle: carrot taken");
                self.hares[other].carrots -= 1;
                self.gain(seat, 1);
            }
        }
        self.drawn = [0; 8];
    }

    /// Adds carrots; those beyond the maximum are lost.
    fn gain(&mut self, seat: usize, carrots: i32) {
        let sum = self.hares[seat].carrots + carrots;
        if sum > MAX_HOLDING {
            self.happened("carrots lost beyond 65535");
        }
        self.hares[seat].carrots = sum.min(MAX_HOLDING);
    }

    fn happened(&mut self, event: impl Into<String>) {
        self.events.push(event.into());
    }

    /// Text of the position.
    pub fn text(&self) -> String {
        let mut hares = vec![];
        for hare in &self.hares {
            let mark = if hare.misses { "!" } else { "" };
            let Hare { square, carrots, lettuces, .. } = hare;
            hares.push(format!("{square},{carrots},{lettuces}{mark}"));
        }
        let turn = match self.paid {
            Some(paid) => format!("{}?{paid}", self.turn + 1),
            None => format!("{}", self.turn + 1),
        };
        let finished: Vec<String> = self.finished.iter().map(|s| format!("{}", s + 1)).collect();
        let mut finished = finished.join(",");
        if finished.is_empty() {
            finished = "-".into();
        }
        let mut drawn = String::new();
        for ((_, letter, _), number) in DECK.iter().zip(self.drawn) {
            for _ in 0..number {
                drawn.push(*letter);
            }
        }
        if drawn.is_empty() {
            drawn = "-".into();
        }
        format!("{} {turn} {finished} {drawn}", hares.join("/"))
    }
}
