//! Many connections of TACK that are all busy, both ends in this process, over loopback.
//!
//! `cargo run --release -p acklab-benches --bin active [CONNECTIONS [SECONDS]]`
//!
//! Each connection's application writes as much as it can. The last line says the resident memory of the
//! process before, with all connections open and idle, and at most; the sum of what arrived; and how
//! the connections shared it (Jain's index, the least and the most of one).

use acklab_live::{Config, Connection, Endpoint, Identity, Keypair, Peer};
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Bytes of one write and one read.
const PIECE: usize = 64 * 1024;

/// A line of `/proc/self/status` in megabytes.
fn memory(what: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with(what));
    let kilobytes = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) * 1024.0 / 1e6
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

async fn write(mut c: Connection, until: Instant) -> io::Result<()> {
    let bytes = vec![7; PIECE];
    while Instant::now() < until {
        c.write_all(&bytes).await?;
    }
    c.shutdown().await
}

/// Bytes that arrive by `until`.
async fn read(mut c: Connection, until: Instant) -> io::Result<u64> {
    let mut buffer = vec![0; PIECE];
    let mut by_then = 0;
    loop {
        let len = AsyncReadExt::read(&mut c, &mut buffer).await?;
        if len == 0 {
            return Ok(by_then);
        }
        if Instant::now() < until {
            by_then += len as u64;
        }
    }
}

fn main() -> io::Result<()> {
    let number = |n: usize, otherwise| {
        let given = std::env::args().nth(n).and_then(|a| a.parse().ok());
        given.unwrap_or(otherwise)
    };
    let (connections, seconds) = (number(1, 1000), number(2, 5));
    let any = ([127, 0, 0, 1], 0).into();
    let keys = Keypair::generate();
    let peer = Peer::Pinned(keys.public());
    let server = Endpoint::server(any, Identity::Keys(keys), Config::default())?;
    let client = Endpoint::client(any, Config::default())?;
    let (before, to) = (memory("VmRSS"), server.local_addr());
    let accepting = std::thread::spawn(move || {
        let came: io::Result<Vec<_>> = (0..connections).map(|_| server.accept()).collect();
        came.map(|c| (server, c))
    });
    let began = Instant::now();
    let ours: io::Result<Vec<_>> = (0..connections)
        .map(|_| client.connect(to, peer.clone()))
        .collect();
    let ours = ours?;
    let (_server, theirs) = accepting
        .join()
        .map_err(|_| io::Error::other("accepting"))??;
    println!("opened in {:.1} s", began.elapsed().as_secs_f64());
    let idle = memory("VmRSS");
    let until = Instant::now() + Duration::from_secs(seconds as u64);
    let reading = std::thread::spawn(move || {
        runtime()?.block_on(async {
            let tasks: Vec<_> = theirs
                .into_iter()
                .map(|c| read(c, until))
                .map(tokio::spawn)
                .collect();
            let mut bytes = Vec::new();
            for task in tasks {
                bytes.push(task.await.map_err(io::Error::other)??);
            }
            Ok::<_, io::Error>(bytes)
        })
    });
    runtime()?.block_on(async {
        let tasks: Vec<_> = ours
            .iter()
            .map(|c| tokio::spawn(write(c.clone(), until)))
            .collect();
        for task in tasks {
            task.await.map_err(io::Error::other)??;
        }
        Ok::<_, io::Error>(())
    })?;
    let bytes = reading.join().map_err(|_| io::Error::other("reading"))??;
    let each: Vec<f64> = bytes.iter().map(|b| *b as f64).collect();
    let (sum, squares) = (
        each.iter().sum::<f64>(),
        each.iter().map(|b| b * b).sum::<f64>(),
    );
    let (least, most) = (bytes.iter().min(), bytes.iter().max());
    let mbit = |b: Option<&u64>| b.map_or(0.0, |b| *b as f64 * 8e-6 / seconds as f64);
    println!(
        "{connections} connections: {before:.0} MB before, {idle:.0} MB idle, {:.0} MB at most; \
         {:.2} Gbit/s, Jain {:.3}, {:.2} to {:.2} Mbit/s each",
        memory("VmHWM"),
        sum * 8e-9 / seconds as f64,
        sum * sum / (connections as f64 * squares),
        mbit(least),
        mbit(most),
    );
    Ok(())
}
