//! The sending half alone against acknowledgements that a receiver could have sent, however late,
//! repeated, thinned or out of order: in flight never goes wrong, and it always gets done.

use crate::{Bytes, config, controller};
use acklab_proto::stats::Stats;
use acklab_proto::tcp::config::Buffer;
use acklab_proto::tcp::sender::{AckInfo, Sender};
use acklab_units::{Instant, Span};
use std::collections::BTreeSet;

const MSS: u64 = 1000;

/// Arrived data, in whole segments.
#[derive(Default)]
struct Model {
    arrived: BTreeSet<u64>,
    acked: u64,
}

impl Model {
    fn ack(&self) -> u64 {
        (0..).find(|n| !self.arrived.contains(n)).expect("an end")
    }

    /// The highest blocks above the acknowledgement, in offsets.
    fn blocks(&self, ack: u64) -> Vec<(u64, u64)> {
        let mut blocks: Vec<(u64, u64)> = Vec::new();
        for n in self.arrived.range(ack..) {
            match blocks.last_mut() {
                Some(b) if b.1 == *n => b.1 += 1,
                _ => blocks.push((*n, n + 1)),
            }
        }
        blocks
            .iter()
            .rev()
            .take(3)
            .map(|b| (1 + b.0 * MSS, 1 + b.1 * MSS))
            .collect()
    }
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let mut b = Bytes(bytes);
    let mut cfg = config(&mut b);
    // A whole number of segments in every profile (Linux counts 2304 bytes for one), so that the
    // model may count segments.
    let max = 2304 * 1000;
    cfg.send_buffer = Buffer { initial: max, max };
    let mut s = Sender::new(&cfg, controller(b.u8()));
    let mut stats = Stats::default();
    let mut now = Instant::ZERO + Span::from_secs(1);
    assert!(
        s.poll_transmit(now, &cfg, &mut stats)
            .is_some_and(|o| o.syn)
    );
    now += Span::from_millis(20);
    s.negotiate(MSS as u32, cfg.sack, false, false);
    let mut info = AckInfo {
        seq: 1,
        ack: 1,
        window: 1 << 22,
        blocks: &[],
        tsecr: None,
        ece: false,
        carries_data: true,
    };
    s.on_ack(now, &cfg, &info, &mut stats);
    info.carries_data = false;
    let total = 200;
    let mut left = total * MSS;
    let mut wire: Vec<u64> = Vec::new();
    let mut m = Model::default();
    let (mut steps, mut behaved) = (0u32, false);
    while m.acked < total {
        steps += 1;
        assert!(steps < 200_000, "it never gets done");
        left -= s.write(&cfg, left);
        while let Some(o) = s.poll_transmit(now, &cfg, &mut stats) {
            if o.len > 0 {
                wire.push((o.start - 1) / MSS);
            }
        }
        behaved |= b.is_empty();
        let f = b.u8();
        if wire.is_empty() || (!behaved && f & 3 == 3) {
            now = s
                .next_timeout()
                .map_or(now + Span::from_millis(1), |t| t.max(now));
            s.on_timeout(now, &cfg, &mut stats);
            continue;
        }
        now += Span::from_micros(100 + u64::from(f) * 20);
        let n = wire.remove(if behaved {
            0
        } else {
            usize::from(f >> 4) % wire.len()
        });
        if behaved || f & 12 != 12 {
            m.arrived.insert(n);
        }
        if behaved || f & 4 == 0 {
            let ack = m.ack();
            let blocks = m.blocks(ack);
            let info = AckInfo {
                ack: 1 + ack * MSS,
                blocks: &blocks,
                ..info
            };
            s.on_ack(now, &cfg, &info, &mut stats);
            m.acked = m.acked.max(ack);
        }
        let snap = s.snapshot(&cfg);
        assert!(snap.inflight <= snap.outstanding + u64::from(stats.retrans_segs as u32) * MSS);
    }
    assert_eq!(stats.bytes_acked, total * MSS);
    assert_eq!(s.snapshot(&cfg).inflight, 0);
}
