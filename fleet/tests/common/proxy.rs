//! A proxy to the server that can interrupt connections.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{sleep, spawn};
use std::time::Duration;

/// Interval between checks of the proxy's state.
const TICK: Duration = Duration::from_millis(10);

const PASSES: u8 = 0;
const HOLDS: u8 = 1;
const IS_CUT: u8 = 2;
const IS_GONE: u8 = 3;

/// Forwards connections to its own port; stops when dropped.
pub struct Proxy {
    port: u16,
    state: Arc<AtomicU8>,
}

impl Proxy {
    /// Starts a proxy to a port of this machine.
    pub fn to(server: u16) -> Proxy {
        let state = Arc::new(AtomicU8::new(PASSES));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = state.clone();
        spawn(move || accept(listener, port, server, &shared));
        Proxy { port, state }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Closes all connections, and accepts no new ones.
    pub fn cut(&self) {
        self.state.store(IS_CUT, Ordering::SeqCst);
    }

    /// Accepts and keeps connections, but forwards nothing.
    pub fn hold(&self) {
        self.state.store(HOLDS, Ordering::SeqCst);
    }

    /// Forwards everything again.
    pub fn mend(&self) {
        self.state.store(PASSES, Ordering::SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.store(IS_GONE, Ordering::SeqCst);
    }
}

fn accept(listener: TcpListener, port: u16, server: u16, state: &Arc<AtomicU8>) {
    let mut listener = Some(listener);
    loop {
        match state.load(Ordering::SeqCst) {
            IS_GONE => return,
            // Without a listener the system refuses new connections.
            IS_CUT => listener = None,
            _ => {
                let listening = listener.get_or_insert_with(|| bind(port));
                listening.set_nonblocking(true).unwrap();
                if let Ok((client, _)) = listening.accept()
                    && let Ok(there) = TcpStream::connect(("127.0.0.1", server))
                {
                    client.set_nonblocking(false).unwrap();
                    join(&client, &there, state);
                    join(&there, &client, state);
                    continue;
                }
            }
        }
        sleep(TICK);
    }
}

/// Binds the same port again; another process can hold it only for a moment.
fn bind(port: u16) -> TcpListener {
    loop {
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)) {
            return listener;
        }
        sleep(TICK);
    }
}

/// Forwards one direction until the connection is cut.
fn join(from: &TcpStream, to: &TcpStream, state: &Arc<AtomicU8>) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    from.set_read_timeout(Some(TICK)).unwrap();
    let state = state.clone();
    spawn(move || {
        let mut bytes = [0; 1 << 16];
        loop {
            match state.load(Ordering::SeqCst) {
                PASSES => {}
                HOLDS => {
                    sleep(TICK);
                    continue;
                }
                _ => break,
            }
            match from.read(&mut bytes) {
                Ok(0) => break,
                Ok(number) if to.write_all(&bytes[..number]).is_ok() => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Ok(_) | Err(_) => break,
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
