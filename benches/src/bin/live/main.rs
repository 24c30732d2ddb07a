//! One connection over loopback: TACK over UDP beside quinn and the kernel's TCP.
//!
//! `cargo run --release -p acklab-benches --bin live [SECONDS [RUNS [MTU [NAME...]]]]`
//!
//! The sender is this process, the receiver a child, so each end's processor time is its own. Runs are
//! in turns. quinn and TACK seal with AES-128-GCM and have packets of the same length. The table says
//! goodput, and processor seconds per gigabyte at either end: the median of the runs.

mod quic;
mod tack;
mod tcp;

use cpu_time::ProcessTime;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Bytes of one write and one read.
const PIECE: usize = 256 * 1024;

/// Takes the length of an IP packet and somewhere to say where it listens; receives to the end, and
/// returns how many bytes came.
type Receive = fn(u32, &mut dyn FnMut(&str)) -> io::Result<u64>;
/// Takes the length of an IP packet, what the receiver has said, and how long to send.
type Send = fn(u32, &str, Duration) -> io::Result<u64>;

/// A transport under test.
struct Transport {
    name: &'static str,
    receive: Receive,
    send: Send,
}

const TRANSPORTS: &[Transport] = &[
    Transport {
        name: "tack",
        receive: tack::receive,
        send: tack::send,
    },
    Transport {
        name: "quinn",
        receive: quic::receive,
        send: quic::send,
    },
    Transport {
        name: "tcp",
        receive: tcp::receive,
        send: tcp::send,
    },
];

/// Result of one run.
#[derive(Clone, Copy)]
struct Run {
    gbps: f64,
    sender: f64,
    receiver: f64,
}

struct Receiver {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Receiver {
    fn start(name: &str, mtu: u32) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["receive", name, &mtu.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("the child has no pipes"));
        };
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }
}

fn measure(t: &Transport, time: Duration, mtu: u32) -> io::Result<Run> {
    let mut receiver = Receiver::start(t.name, mtu)?;
    let to = receiver.line()?;
    let (began, spent) = (Instant::now(), ProcessTime::now());
    let sent = (t.send)(mtu, &to, time)?;
    let (took, sender) = (began.elapsed(), spent.elapsed());
    writeln!(receiver.input, "done")?;
    let report = receiver.line()?;
    receiver.child.wait()?;
    let mut words = report.split(' ');
    let mut word = || words.next().and_then(|w| w.parse::<f64>().ok());
    let (Some(bytes), Some(cpu)) = (word(), word()) else {
        return Err(io::Error::other(format!("the receiver said: {report:?}")));
    };
    assert_eq!(bytes as u64, sent, "{}: bytes are missing", t.name);
    let gigabytes = bytes / 1e9;
    Ok(Run {
        gbps: gigabytes * 8.0 / took.as_secs_f64(),
        sender: sender.as_secs_f64() / gigabytes,
        receiver: cpu / gigabytes,
    })
}

fn receive(name: &str, mtu: u32) -> io::Result<()> {
    let t = TRANSPORTS.iter().find(|t| t.name == name);
    let t = t.ok_or_else(|| io::Error::other("no such transport"))?;
    let spent = ProcessTime::now();
    let bytes = (t.receive)(mtu, &mut |line| println!("{line}"))?;
    println!("{bytes} {}", spent.elapsed().as_secs_f64());
    io::stdin().read_line(&mut String::new())?;
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |n: usize, otherwise: u32| {
        args.get(n)
            .and_then(|a| a.parse().ok())
            .unwrap_or(otherwise)
    };
    if args.first().is_some_and(|a| a == "receive") {
        return receive(&args[1], number(2, 1480));
    }
    let (seconds, runs, mtu) = (number(0, 3), number(1, 3), number(2, 1480));
    let time = Duration::from_secs(seconds.into());
    let names = args.get(3..).unwrap_or_default();
    let chosen = |t: &&Transport| names.is_empty() || names.iter().any(|n| n == t.name);
    let transports: Vec<&Transport> = TRANSPORTS.iter().filter(chosen).collect();
    let mut all: Vec<Vec<Run>> = transports.iter().map(|_| Vec::new()).collect();
    for _ in 0..runs {
        for (t, results) in transports.iter().zip(&mut all) {
            results.push(measure(t, time, mtu)?);
        }
    }
    println!("              Gbit/s   CPU s/GB sender   receiver   both");
    for (t, results) in transports.iter().zip(all) {
        let of = |f: fn(&Run) -> f64| median(results.iter().map(f).collect());
        println!(
            "{:10} {:9.2} {:17.3} {:10.3} {:6.3}",
            t.name,
            of(|r| r.gbps),
            of(|r| r.sender),
            of(|r| r.receiver),
            of(|r| r.sender + r.receiver),
        );
    }
    Ok(())
}
