//! TACK.

use super::PIECE;
use acklab_live::{Config, Endpoint, Identity, Keypair, Peer};
use std::io;
use std::time::{Duration, Instant};

fn any() -> std::net::SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

/// The receiving end.
pub fn receive(mtu: u32, say: &mut dyn FnMut(&str)) -> io::Result<u64> {
    let keys = Keypair::generate();
    let public = keys.public();
    let cfg = Config::default().with_mtu(mtu);
    let server = Endpoint::server(any(), Identity::Keys(keys), cfg)?;
    say(&format!("{} {public}", server.local_addr()));
    let c = server.accept()?;
    let mut buffer = vec![0; PIECE];
    let mut total = 0;
    loop {
        let len = c.read(&mut buffer)?;
        if len == 0 {
            break;
        }
        total += len as u64;
    }
    c.finish();
    c.wait_closed()?;
    Ok(total)
}

/// The sending end.
pub fn send(mtu: u32, to: &str, time: Duration) -> io::Result<u64> {
    let bad = || io::Error::other("address and key");
    let (address, key) = to.split_once(' ').ok_or_else(bad)?;
    let peer = Peer::Pinned(key.parse().map_err(io::Error::other)?);
    let client = Endpoint::client(any(), Config::default().with_mtu(mtu))?;
    let c = client.connect(address.parse().map_err(io::Error::other)?, peer)?;
    let bytes = vec![7; PIECE];
    let began = Instant::now();
    let mut total = 0;
    while began.elapsed() < time {
        total += c.write(&bytes)? as u64;
    }
    c.finish();
    c.wait_acknowledged()?;
    c.wait_closed()?;
    Ok(total)
}
