//! A connection in the middle of a transfer, and a peer that sends anything: no panic, no spinning,
//! and nothing is sent beyond what is allowed.

use crate::{Bytes, config, controller, policy};
use acklab_proto::ack::request::{AckOption, Frequency};
use acklab_proto::endpoint::Endpoint;
use acklab_proto::segment::{Ecn, Flags, SackBlock, Segment, SynOptions, Timestamps};
use acklab_proto::tcp::{Connection, Role};
use acklab_units::{Instant, SeqNum, Span};
use std::sync::Arc;

const ISN: u32 = u32::MAX - 5000;
const PEER: SeqNum = SeqNum(900);

fn number(b: &mut Bytes<'_>, near: SeqNum) -> SeqNum {
    if b.u8() < 224 {
        near + u32::from(b.u16())
    } else {
        SeqNum(b.u32())
    }
}

fn segment(b: &mut Bytes<'_>) -> Segment {
    let mut s = Segment {
        seq: number(b, PEER),
        ack: number(b, SeqNum(ISN)),
        len: u32::from(b.u8()) * 8,
        window: b.u16(),
        flags: Flags(b.u8()).with(Flags::ACK),
        ecn: [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][usize::from(b.u8() & 3)],
        ..Segment::default()
    };
    let options = b.u8();
    // The upper bits ask for something, or announce it.
    s.ask = [
        None,
        Some(AckOption::Tarr { rate: 0 }),
        Some(AckOption::Immediate),
        Some(AckOption::FrequencyPermitted { min_delay_us: 1 }),
    ][usize::from(options >> 6)];
    if options & 0x30 == 0x30 {
        s.ask = Some(AckOption::Frequency(Frequency {
            sequence: b.u8(),
            threshold: b.u16(),
            reordering: b.u8(),
            max_delay_us: u32::from(b.u16()) << 8,
        }));
    }
    if options & 1 == 1 {
        s.timestamps = Some(Timestamps {
            val: u32::from(b.u16()),
            ecr: u32::from(b.u16()),
        });
    }
    for _ in 0..(options >> 1 & 3) {
        let start = number(b, SeqNum(ISN));
        let block = SackBlock {
            start,
            end: start + u32::from(b.u16()),
        };
        s.sack.push(block);
    }
    s
}

fn drain(now: Instant, c: &mut Connection) {
    for n in 0.. {
        let Some(s) = c.poll_segment(now) else { break };
        assert!(s.len <= 1000);
        assert!(n < 20_000, "sends without end");
    }
    while c.poll_event().is_some() {}
    c.read(now, u64::MAX);
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let cfg = config(&mut b);
    let cc = controller(b.u8());
    let mut c = Connection::new(Role::Active, Arc::new(cfg), cc, policy(b.u8()), ISN);
    let mut now = Instant::ZERO + Span::from_secs(1);
    c.open(now);
    drain(now, &mut c);
    now += Span::from_millis(20);
    let syn = SynOptions {
        mss: 1012,
        window_scale: Some(7),
        sack_permitted: true,
    };
    c.on_segment(
        now,
        &Segment {
            seq: PEER,
            ack: SeqNum(ISN) + 1,
            flags: Flags::SYN.with(Flags::ACK),
            window: 60_000,
            timestamps: Some(Timestamps { val: 1, ecr: 1001 }),
            ask: [
                None,
                Some(AckOption::TarrPermitted),
                Some(AckOption::FrequencyPermitted { min_delay_us: 1000 }),
                Some(AckOption::Immediate),
            ][usize::from(b.u8() & 3)],
            syn,
            ..Segment::default()
        },
    );
    c.write(500_000);
    drain(now, &mut c);
    while !b.is_empty() {
        now += Span::from_micros(u64::from(b.u8()) * 100);
        let mut rounds = 0;
        while let Some(t) = c.next_timeout().filter(|t| *t <= now) {
            c.on_timeout(t.max(now));
            drain(now, &mut c);
            rounds += 1;
            assert!(rounds < 1000, "a timer that does not go away");
        }
        let s = segment(&mut b);
        c.on_segment(now, &s);
        c.write(100_000);
        drain(now, &mut c);
    }
}
