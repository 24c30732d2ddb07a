//! Information that each filter promises not to lose with an acknowledgement that it drops, written
//! down a second time from the documentation, field by field.

use crate::acks::Options;
use acklab_proto::segment::{Flags, SackBlock, Segment};
use acklab_units::SeqNum;

/// Part of the SACK blocks that is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sack {
    /// Nothing.
    Lost,
    /// The same blocks, and no DSACK.
    Same,
    /// Whatever they say: again, or by the number.
    Said,
    /// Their information, again, and not by the number: CAKE.
    Again,
}

/// The promises of a filter.
#[derive(Clone, Copy)]
pub struct Guards {
    /// A higher number, or also an equal one.
    strictly: bool,
    sack: Sack,
    /// Both or neither have ECE, and CWR.
    echo: bool,
    /// No flag but ACK (and ECE and CWR, if `echo`).
    plain: bool,
    push: bool,
    window: bool,
    echoed: bool,
    /// Timestamps do not go back.
    clock: bool,
    /// CAKE: an equal number, if the blocks say more.
    equal_if_more: bool,
    /// The one that stands for another may be of another flow.
    pub mixes_flows: bool,
}

impl Guards {
    /// Those of a filter.
    pub fn new(name: &str, options: &Options<'_>) -> Self {
        let none = Self {
            strictly: false,
            sack: Sack::Lost,
            echo: false,
            plain: false,
            push: false,
            window: false,
            echoed: false,
            clock: false,
            equal_if_more: false,
            mixes_flows: false,
        };
        let flushes = |name| options.says(name, "flush");
        let if_so = |so, then| if so { then } else { Sack::Lost };
        match name {
            "tac" | "tac-paper" => Self {
                strictly: true,
                sack: if_so(flushes("sack"), Sack::Same),
                echo: flushes("ecn"),
                push: flushes("push"),
                window: flushes("window"),
                echoed: flushes("timestamps"),
                ..none
            },
            // A thinned SYN-ACK begins a connection in the middle of a batch.
            "aggregate" if options.says("handshake", "thin") => Self {
                mixes_flows: options.says("scope", "queue"),
                ..none
            },
            "aggregate" => Self {
                strictly: options.says("duplicates", "pass"),
                sack: if_so(options.says("sack", "pass"), Sack::Same),
                echo: true,
                mixes_flows: options.says("scope", "queue"),
                ..none
            },
            "android-thin" => Self {
                plain: true,
                echo: true,
                ..none
            },
            "android-replace" => Self {
                strictly: true,
                plain: true,
                echo: true,
                sack: if_so(options.says("sack", "keep"), Sack::Said),
                ..none
            },
            "cake" => Self {
                plain: true,
                sack: Sack::Again,
                clock: true,
                equal_if_more: true,
                ..none
            },
            other => panic!("nobody knows what {other} promises"),
        }
    }

    /// Checks that nothing of `old` is lost where only `new` goes on.
    pub fn says_as_much(&self, old: &Segment, new: &Segment) -> Result<(), &'static str> {
        let ahead = new.ack.0.wrapping_sub(old.ack.0);
        // Half the numbers apart, either may be called the newer one.
        let newer = if self.strictly {
            ahead != 0 && ahead <= HALF
        } else {
            ahead <= HALF
        };
        let has = |f: Flags| (old.flags.contains(f), new.flags.contains(f));
        let same = |(a, b): (bool, bool)| a == b;
        let window = (old.window == 0, new.window == 0);
        let echoed = |s: &Segment| s.timestamps.map(|t| t.ecr);
        let others = Flags(!(Flags::ACK.0 | Flags::ECE.0 | Flags::CWR.0));
        let checks = [
            (newer, "a higher number"),
            (!self.echo || same(has(Flags::ECE)), "an ECE, or its end"),
            (!self.echo || same(has(Flags::CWR)), "a CWR, or its end"),
            (!self.plain || !old.flags.intersects(others), "a flag"),
            (!self.push || !old.flags.contains(Flags::PSH), "a PSH"),
            (
                !self.window || same(window),
                "a window that closed or opened",
            ),
            (
                !self.echoed || echoed(old) == echoed(new),
                "a timestamp's echo",
            ),
            (!self.clock || goes_on(old, new), "a later timestamp"),
            (self.keeps_blocks(old, new), "SACK blocks"),
            (
                !self.equal_if_more || ahead > 0 || more(old, new),
                "a duplicate",
            ),
        ];
        let broken = checks.iter().find(|(holds, _)| !holds);
        broken.map_or(Ok(()), |(_, what)| Err(what))
    }

    fn keeps_blocks(&self, old: &Segment, new: &Segment) -> bool {
        let (a, b) = (old.sack.as_slice(), new.sack.as_slice());
        let again = |block: &SackBlock| b.iter().any(|n| holds(n, block));
        let acked = |block: &SackBlock| new.ack.0.wrapping_sub(block.end.0) <= HALF;
        let below = a.first().is_some_and(|f| f.start.before(old.ack));
        match self.sack {
            Sack::Lost => true,
            Sack::Same => a == b && !below && !(a.len() > 1 && holds(&a[1], &a[0])),
            Sack::Said => !below && a.iter().filter(valid).all(|s| again(s) || acked(s)),
            // As in the kernel, what is no block is compared like one, by its ends.
            Sack::Again if !a.iter().chain(b).all(|s| near(s, old.ack)) => true,
            Sack::Again => a.iter().all(|s| again(s) && !s.start.before(old.ack)),
        }
    }
}

const HALF: u32 = 1 << 31;
/// Half of the largest window (RFC 7323 section 2.3): what is not farther apart has one order.
const NEAR: u32 = 1 << 29;

fn long(block: &SackBlock) -> u32 {
    block.end.0.wrapping_sub(block.start.0)
}

/// Whether it is a block: not empty, and not inside out.
fn valid(block: &&SackBlock) -> bool {
    (1..HALF).contains(&long(block))
}

/// Whether it is a block that begins and ends not far from that number.
fn near(block: &SackBlock, ack: SeqNum) -> bool {
    let far = block.start.distance(ack).unsigned_abs();
    valid(&block) && far < NEAR && long(block) < NEAR
}

/// Whether each byte of `inner` is in `outer`, of two blocks.
fn holds(outer: &SackBlock, inner: &SackBlock) -> bool {
    let into = inner.start.0.wrapping_sub(outer.start.0);
    let fits = u64::from(into) + u64::from(long(inner)) <= u64::from(long(outer));
    valid(&outer) && valid(&inner) && fits
}

fn goes_on(old: &Segment, new: &Segment) -> bool {
    let Some(before) = old.timestamps else {
        return true;
    };
    let now = new.timestamps.unwrap_or_default();
    let back = |a: u32, b: u32| SeqNum(b).before(SeqNum(a));
    !back(before.val, now.val) && !back(before.ecr, now.ecr)
}

/// Whether the blocks of `new` sum to more.
fn more(old: &Segment, new: &Segment) -> bool {
    let sum = |s: &Segment| {
        s.sack
            .as_slice()
            .iter()
            .map(long)
            .fold(0, u32::wrapping_add)
    };
    sum(new) > sum(old) || (old.sack.is_empty() && !new.sack.is_empty())
}
