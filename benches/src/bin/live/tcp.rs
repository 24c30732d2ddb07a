//! The kernel's TCP.

use super::PIECE;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// The receiving end.
pub fn receive(_mtu: u32, say: &mut dyn FnMut(&str)) -> io::Result<u64> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    say(&listener.local_addr()?.to_string());
    let (mut c, _) = listener.accept()?;
    let mut buffer = vec![0; PIECE];
    let mut total = 0;
    loop {
        let len = c.read(&mut buffer)?;
        if len == 0 {
            return Ok(total);
        }
        total += len as u64;
    }
}

/// The sending end.
pub fn send(_mtu: u32, to: &str, time: Duration) -> io::Result<u64> {
    let mut c = TcpStream::connect(to)?;
    let bytes = vec![7; PIECE];
    let began = Instant::now();
    let mut total = 0;
    while began.elapsed() < time {
        c.write_all(&bytes)?;
        total += PIECE as u64;
    }
    c.shutdown(Shutdown::Write)?;
    c.read_to_end(&mut Vec::new())?;
    Ok(total)
}
