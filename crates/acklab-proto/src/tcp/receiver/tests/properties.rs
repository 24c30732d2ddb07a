//! Whatever the network does, every byte arrives once and in order, and ACKs tell the truth.

use super::fixture::{Bench, Delayed};
use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::receiver::{AckFields, Data, TimestampReply};
use acklab_units::Span;
use proptest::prelude::*;
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

/// Stream length in bytes, the FIN comes after.
const STREAM: u64 = 3000;

#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive { start: u64, len: u64 },
    Read(u64),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (1..=STREAM + 1, 0u64..400).prop_map(|(start, len)| Step::Arrive { start, len }),
        2 => (1u64..2000).prop_map(Step::Read),
        2 => (1u64..50_000).prop_map(Step::Wait),
    ]
}

/// The peer's knowledge and the truth.
struct Truth {
    arrived: Vec<bool>,
    edge: u64,
    ack: u64,
    delivered: u64,
    reported: u64,
    /// Blocks are whole islands. ns-3 forgets parts that it no longer reports.
    whole_blocks: bool,
}

impl Truth {
    fn arrive(&mut self, b: &mut Bench, start: u64, len: u64) -> Result<(), TestCaseError> {
        let end = (start + len).min(STREAM + 1);
        let len = end.saturating_sub(start);
        let fin = end > STREAM;
        if len == 0 && !fin {
            return Ok(());
        }
        let outcome = b.push(Data {
            offset: start,
            len: len as u32,
            fin,
            reply: Some(TimestampReply {
                ecr: start as u32,
                age: Span::from_millis(10),
            }),
            ..Data::default()
        });
        let taken = outcome.taken;
        for offset in taken.start..taken.end {
            self.arrived[offset as usize] = true;
        }
        if fin && end < self.edge && len + u64::from(fin) > 0 {
            self.arrived[STREAM as usize + 1] = true;
        }
        self.delivered += outcome.newly_readable;
        let in_order = self.arrived[1..=STREAM as usize]
            .iter()
            .take_while(|&&a| a)
            .count() as u64;
        prop_assert_eq!(self.delivered, in_order);
        prop_assert_eq!(b.receiver.readable(), in_order - self.reported);
        Ok(())
    }

    /// One ACK: monotonic, its window no smaller, its blocks true and disjoint.
    fn check(&mut self, fields: &AckFields, shift: u8) -> Result<(), TestCaseError> {
        prop_assert!(fields.ack >= self.ack);
        prop_assert!(fields.ack + fields.window >= self.edge);
        prop_assert_eq!(u64::from(fields.window_field) << shift, fields.window);
        self.ack = fields.ack;
        self.edge = fields.ack + fields.window;
        let blocks = fields.blocks();
        for (i, block) in blocks.iter().enumerate() {
            prop_assert!(block.start < block.end);
            let held = &self.arrived[block.start as usize..block.end as usize];
            prop_assert!(held.iter().all(|&a| a), "{:?}", block);
            let duplicate = i == 0
                && (block.end <= fields.ack || blocks.get(1).is_some_and(|o| o.covers(*block)));
            if !duplicate && self.whole_blocks {
                prop_assert!(block.start > fields.ack);
                prop_assert!(!self.arrived[block.start as usize - 1]);
                let others = blocks.iter().skip(i + 1);
                prop_assert!(others.clone().all(|o| !o.touches(*block)));
            }
        }
        Ok(())
    }
}

fn run(profile: Profile, buffer: u64, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut cfg = TcpConfig::new(profile);
    cfg.recv_buffer.initial = buffer;
    cfg.recv_buffer.max = 2 * buffer;
    let mut b = Bench::new(&cfg, Box::<Delayed>::default());
    let shift = b.receiver.offered_window_scale().unwrap();
    let mut truth = Truth {
        arrived: vec![false; STREAM as usize + 2],
        edge: b.receiver.window_edge(),
        ack: 1,
        delivered: 0,
        reported: 0,
        whole_blocks: profile != Profile::Ns3,
    };
    let mut now = 0;
    let repair = (0..2000).flat_map(|_| [Step::Arrive { start: 0, len: 97 }, Step::Read(500)]);
    for step in steps.iter().copied().chain(repair) {
        match step {
            // Start 0 stands for what is missing first.
            Step::Arrive { start: 0, len } => {
                let next = b.receiver.next_expected();
                if next > STREAM + 1 {
                    break;
                }
                truth.arrive(&mut b, next, len)?;
            }
            Step::Arrive { start, len } => truth.arrive(&mut b, start, len)?,
            Step::Read(max) => truth.reported += b.receiver.read(b.now, max),
            Step::Wait(us) => now += us,
        }
        b.at(now);
        if b.ack().is_some() {
            truth.check(&b.last, shift)?;
        }
        prop_assert!(b.receiver.window_edge() == truth.edge);
    }
    b.at(now + 10_000_000);
    if b.ack().is_some() {
        truth.check(&b.last, shift)?;
    }
    prop_assert_eq!(truth.ack, STREAM + 2);
    prop_assert!(b.receiver.fin_reached());
    prop_assert_eq!(truth.delivered, STREAM);
    prop_assert_eq!(b.receiver.held(), 0);
    Ok(())
}

proptest! {
    #[test]
    fn linux_delivers_and_tells_the_truth(steps in prop::collection::vec(step(), 0..80)) {
        run(Profile::Linux, 131_072, &steps)?;
    }

    #[test]
    fn a_small_linux_buffer_does_too(steps in prop::collection::vec(step(), 0..80)) {
        run(Profile::Linux, 3000, &steps)?;
    }

    #[test]
    fn ns3_does_too(steps in prop::collection::vec(step(), 0..80)) {
        run(Profile::Ns3, 700, &steps)?;
    }

    #[test]
    fn rfc_does_too(steps in prop::collection::vec(step(), 0..80)) {
        run(Profile::Rfc, 700, &steps)?;
    }
}
