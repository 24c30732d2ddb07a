//! Sends bytes over loopback for some seconds, and says how fast: `pump [SECONDS [MTU [CONTROLLER]]]`.

#![expect(clippy::disallowed_methods, reason = "it has arguments")]

use acklab_live::{Config, Endpoint, Identity, Keypair, Peer};
use acklab_proto::tcp::config::CcChoice;
use std::io;
use std::time::{Duration, Instant};

fn number(n: usize, otherwise: u64) -> u64 {
    std::env::args()
        .nth(n)
        .and_then(|a| a.parse().ok())
        .unwrap_or(otherwise)
}

fn main() -> io::Result<()> {
    let (seconds, mtu) = (number(1, 3), number(2, 1500));
    let mut cfg = Config::default().with_mtu(mtu as u32);
    if let Some(name) = std::env::args().nth(3) {
        cfg.controller = CcChoice::named(&name).expect("a controller");
    }
    let keys = Keypair::generate();
    let peer = Peer::Pinned(keys.public());
    let any = "127.0.0.1:0".parse().expect("an address");
    let server = Endpoint::server(any, Identity::Keys(keys), cfg.clone())?;
    let client = Endpoint::client(any, cfg)?;
    let out = client.connect(server.local_addr(), peer)?;
    let input = server.accept()?;
    let reader = std::thread::spawn(move || {
        let mut buffer = vec![0; 256 * 1024];
        let mut total = 0u64;
        loop {
            match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(len) => total += len as u64,
                Err(e) => {
                    println!("read: {e}");
                    break;
                }
            }
        }
        input.finish();
        (total, input.report())
    });
    let watcher = out.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            println!("{:?}", watcher.report());
        }
    });
    let bytes = vec![7; 256 * 1024];
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(seconds) {
        out.write(&bytes)?;
    }
    out.finish();
    out.wait_acknowledged()?;
    let took = began.elapsed().as_secs_f64();
    let (total, theirs) = reader.join().expect("a reader");
    println!("sender:   {:#?}", out.report()?);
    println!("receiver: {:#?}", theirs?);
    println!("{:.3} Gbit/s", total as f64 * 8.0 / took / 1e9);
    Ok(())
}
