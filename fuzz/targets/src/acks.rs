//! Segments of many flows as bytes choose them, for the targets of ACK filters.
//!
//! Each flow goes on from what it said last, so that numbers mostly rise; and then anything happens:
//! numbers and clocks that jump, by about 2^31 and 2^32, too, SACK blocks that are no blocks, flags
//! that nobody sends.

use crate::Bytes;
use acklab_proto::registry::{Kind, Param, Params, Value};
use acklab_proto::segment::{Flags, SackBlock, Segment, Timestamps};
use acklab_units::{SeqNum, Span};
use std::collections::BTreeMap;

/// A value of the parameter's kind, chosen by one byte.
pub fn value(param: &Param, byte: u8) -> Value {
    match param.kind {
        Kind::Choice(words) => Value::Choice(words[byte as usize % words.len()]),
        Kind::Int(lo, hi) => Value::Int((lo + i64::from(byte) % 20).min(hi)),
        Kind::Bool => Value::Bool(byte % 2 == 1),
        Kind::OptSpan(..) if byte.is_multiple_of(4) => Value::Auto,
        Kind::OptSpan(..) | Kind::Span(..) => Value::Span(Span::from_micros(u64::from(byte) * 40)),
        _ => param.default,
    }
}

/// Values of a filter's options, if the filter has them.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a>(pub &'static [Param], pub &'a Params);

impl Options<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|p| p.name == name)
    }

    /// Whether it is that word.
    pub fn says(&self, name: &str, word: &str) -> bool {
        self.has(name) && self.1.choice(name) == word
    }

    /// A length of time; none without the option, too.
    pub fn span(&self, name: &str) -> Option<Span> {
        self.has(name).then(|| self.1.span(name)).flatten()
    }

    /// A number.
    pub fn int(&self, name: &str) -> Option<usize> {
        self.has(name).then(|| self.1.int(name) as usize)
    }
}

/// Last values that a flow told.
#[derive(Clone, Copy)]
struct Said {
    ack: u32,
    window: u16,
    echo: u8,
    timestamps: Option<Timestamps>,
}

/// The flows.
#[derive(Default)]
pub struct Sources(BTreeMap<u32, Said>);

impl Sources {
    /// Flow and segment of the next packet.
    pub fn next(&mut self, b: &mut Bytes<'_>) -> (u32, Segment) {
        let flow = flow(b);
        let said = self.0.entry(flow).or_insert(Said {
            // Close below the wrap.
            ack: 0u32.wrapping_sub(flow.wrapping_mul(1448) % 40_000),
            window: 500,
            echo: 0,
            timestamps: Some(Timestamps { val: 9, ecr: !9 }),
        });
        let (what, plain) = (b.u8(), b.u8());
        said.ack = number(said.ack, b);
        if what & 1 == 1 {
            said.echo ^= plain & (Flags::ECE.0 | Flags::CWR.0);
        }
        if what & 2 != 0 {
            said.window = [0, 1, 500, b.u16()][usize::from(plain & 3)];
        }
        if what & 4 != 0 {
            said.timestamps = timestamps(said.timestamps, b);
        }
        let mut s = Segment {
            ack: SeqNum(said.ack),
            flags: Flags::ACK.with(Flags(said.echo)),
            window: said.window,
            timestamps: said.timestamps,
            ..Segment::default()
        };
        if what & 0x18 == 0x18 {
            s.len = u32::from(plain) * 8;
        }
        if plain >= 0xe0 {
            s.flags = s.flags.with(Flags::PSH);
        }
        if what & 0xe0 == 0xe0 {
            s.flags = flags(plain, s.flags);
        } else {
            (0..what >> 5)
                .take(4)
                .for_each(|_| s.sack.push(block(said.ack, b)));
        }
        (flow, s)
    }
}

/// Few flows, many, or numbers far apart.
fn flow(b: &mut Bytes<'_>) -> u32 {
    match b.u8() {
        few @ 0..160 => u32::from(few % 4),
        many @ 160..240 => u32::from(many - 160),
        240..248 => u32::from(b.u8()) * 0x1000,
        248..252 => u32::MAX - u32::from(b.u8()),
        _ => b.u32(),
    }
}

/// The next number after `last`, of any counter of 32 bits.
fn number(last: u32, b: &mut Bytes<'_>) -> u32 {
    const HALF: u32 = 1 << 31;
    let near = |b: &mut Bytes<'_>| u32::from(b.u8()).wrapping_sub(128);
    match b.u8() {
        same @ 0..24 => last.wrapping_add(u32::from(same / 23)),
        few @ 24..128 => last.wrapping_add((u32::from(few) - 23) * 724),
        back @ 128..160 => last.wrapping_sub((u32::from(back) - 127) * 724),
        160..176 => last.wrapping_add(u32::from(b.u16()) << 8),
        176..192 => last.wrapping_sub(u32::from(b.u16()) << 8),
        192..208 => last.wrapping_add(HALF),
        208..220 => last.wrapping_add(HALF).wrapping_add(near(b)),
        220..228 => last.wrapping_add(near(b)),
        228..236 => near(b),
        236..244 => HALF.wrapping_add(near(b)),
        _ => b.u32(),
    }
}

fn timestamps(last: Option<Timestamps>, b: &mut Bytes<'_>) -> Option<Timestamps> {
    let t = last.unwrap_or_default();
    match b.u8() % 6 {
        0 => None,
        1 => Some(Timestamps {
            val: number(t.val, b),
            ..t
        }),
        2 => Some(Timestamps {
            ecr: number(t.ecr, b),
            ..t
        }),
        3 => Some(Timestamps {
            val: number(t.val, b),
            ecr: number(t.ecr, b),
        }),
        // Both wrap, both as a clock would.
        _ => Some(Timestamps {
            val: t.val.wrapping_add(1),
            ecr: t.ecr.wrapping_add(1),
        }),
    }
}

/// Flags beside a few that segments have; perhaps without ACK.
fn flags(byte: u8, of: Flags) -> Flags {
    match byte {
        0..48 => of.with(Flags::PSH),
        48..96 => of.with(Flags::FIN),
        96..128 => of.with(Flags::SYN),
        128..144 => Flags::SYN.with(Flags::ECE).with(Flags::CWR),
        144..160 => of.with(Flags::RST),
        160..176 => Flags::RST,
        176..192 => of.with(Flags::URG),
        other => Flags(other.wrapping_mul(37)),
    }
}

/// Islands of some segments behind the number, mostly on a grid so that they meet again; duplicates
/// reported below it; and blocks that are none.
fn block(ack: u32, b: &mut Bytes<'_>) -> SackBlock {
    const SEGMENT: u32 = 724;
    let on_grid = |n: u32| (ack / SEGMENT).wrapping_add(n).wrapping_mul(SEGMENT);
    let how = b.u8();
    let (far, long) = (u32::from(how & 7), u32::from(how >> 3 & 3));
    let (start, end) = match how >> 5 {
        0..4 => (on_grid(far + 2), on_grid(far + 3 + long)),
        // A duplicate below the number.
        4 => (on_grid(far.wrapping_sub(9)), on_grid(far.wrapping_sub(8))),
        // Empty or inside out.
        5 => (on_grid(far + 2), on_grid((far + 2).wrapping_sub(long))),
        // Over the number, or far from all that is in flight.
        6 => (on_grid(far.wrapping_sub(4)), number(ack, b)),
        _ => (b.u32(), number(ack, b)),
    };
    SackBlock {
        start: SeqNum(start),
        end: SeqNum(end),
    }
}
