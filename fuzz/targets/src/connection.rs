//! Two ends over a wire that does what the input says: everything that was written arrives, once
//! and in order, and both ends close.
//!
//! The first bytes choose configuration, controller and policy; each further byte is the fate of
//! one segment. When the input is used up, the wire behaves.

use crate::{Bytes, config, controller, policy};
use acklab_proto::endpoint::Endpoint;
use acklab_proto::segment::{Ecn, Segment};
use acklab_proto::tcp::{Connection, Role, State};
use acklab_units::{Instant, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

const DELAY: Span = Span::from_millis(5);
/// Long enough for every byte of the longest input to cost a timeout, which in ns-3 may follow an
/// RTT sample of hours.
const PATIENCE: Span = Span::from_secs(50_000_000);

struct World<'a> {
    now: Instant,
    ends: [Connection; 2],
    wire: BTreeMap<(Instant, u64), (usize, Segment)>,
    serial: u64,
    faults: Bytes<'a>,
    unwritten: u64,
    read: u64,
}

impl World<'_> {
    fn put(&mut self, to: usize, mut segment: Segment) {
        let f = self.faults.u8();
        let copies: &[u64] = match f {
            0..=159 => &[0],
            160..=199 => &[],
            200..=229 => &[1 + (f as u64 & 7) * 3],
            230..=239 => &[0, 0],
            _ => {
                if segment.ecn == Ecn::Ect0 {
                    segment.ecn = Ecn::Ce;
                }
                &[0]
            }
        };
        for late in copies {
            self.serial += 1;
            let at = self.now + DELAY + Span::from_millis(*late);
            self.wire.insert((at, self.serial), (to, segment));
        }
    }

    fn flush(&mut self) {
        loop {
            if self.unwritten > 0 {
                self.unwritten -= self.ends[0].write(self.unwritten);
                if self.unwritten == 0 {
                    self.ends[0].close(self.now);
                }
            }
            self.read += self.ends[1].read(self.now, u64::MAX);
            if self.ends[1].state() == State::CloseWait {
                self.ends[1].close(self.now);
            }
            let Some((from, segment)) =
                (0..2).find_map(|i| self.ends[i].poll_segment(self.now).map(|s| (i, s)))
            else {
                return;
            };
            self.put(1 - from, segment);
        }
    }

    fn step(&mut self) -> bool {
        let timers = self.ends.iter().filter_map(Endpoint::next_timeout);
        let wire = self.wire.keys().next().map(|k| k.0);
        let Some(next) = timers.chain(wire).min() else {
            return false;
        };
        self.now = self.now.max(next);
        while let Some(k) = self.wire.keys().next().copied().filter(|k| k.0 <= self.now) {
            let (to, segment) = self.wire.remove(&k).expect("just seen");
            self.ends[to].on_segment(self.now, &segment);
            self.flush();
        }
        for end in &mut self.ends {
            end.on_timeout(self.now);
        }
        self.flush();
        true
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let cfg = Arc::new(config(&mut b));
    let end = |role, isn, b: &mut Bytes<'_>| {
        Connection::new(role, cfg.clone(), controller(b.u8()), policy(b.u8()), isn)
    };
    let isn = b.u32();
    let ends = [
        end(Role::Active, isn, &mut b),
        end(Role::Passive, 77, &mut b),
    ];
    let bytes = 1 + u64::from(b.u16()) * 3;
    let start = Instant::ZERO + Span::from_secs(1);
    let mut w = World {
        now: start,
        ends,
        wire: BTreeMap::new(),
        serial: 0,
        faults: b,
        unwritten: bytes,
        read: 0,
    };
    w.ends[0].open(w.now);
    w.flush();
    let (mut still, mut last) = (0, w.now);
    while w.ends[1].state() != State::Closed && w.step() {
        still = if w.now == last { still + 1 } else { 0 };
        last = w.now;
        assert!(
            still < 100_000,
            "time stands still at {:?}: {:?} {:?} {:?} {:?} {:?}",
            w.now,
            w.ends[0].next_timeout(),
            w.ends[1].next_timeout(),
            w.ends[0].state(),
            w.ends[1].state(),
            w.ends[0].snapshot()
        );
        assert!(
            w.now < start + PATIENCE,
            "no progress: {:?} {:?} {:?} {:?}\n{:?}\n{:?} unwritten {} read {}",
            w.ends[0].state(),
            w.ends[1].state(),
            w.ends[0].snapshot(),
            w.ends[0].next_timeout(),
            w.ends[0].stats(),
            w.ends[1].stats(),
            w.unwritten,
            w.read
        );
    }
    // A handshake may be given up after six repetitions; the other end may then wait for ever.
    if w.read == 0 && w.ends.iter().any(|e| e.stats().rto_count >= 6) {
        return;
    }
    let states = [w.ends[0].state(), w.ends[1].state()];
    assert_eq!(
        w.read,
        bytes,
        "everything arrives once {states:?} at {:?}\n{:?}",
        w.now,
        w.ends[0].stats()
    );
    assert_eq!(w.ends[0].stats().bytes_acked, bytes);
    assert_eq!(w.ends[0].snapshot().inflight, 0);
}
