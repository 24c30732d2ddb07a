//! The table of layouts against the codec.

use super::layout::{CONTROL, Field, Item, Kind};
use super::properties::any_frames;
use super::reader::Reader;
use super::*;
use alloc::vec::Vec;
use proptest::prelude::*;

/// Names and values in order, as read by the table.
type Seen = Vec<(&'static str, u64)>;

struct Walk<'a> {
    r: Reader<'a>,
    seen: Seen,
    flags: u8,
    choice: u8,
}

impl Walk<'_> {
    fn field(&mut self, f: &Field) -> u64 {
        let value = match f.kind {
            Kind::Byte => self.r.byte().map(u64::from),
            Kind::Word => self.r.u32().map(u64::from),
            Kind::Varint => self.r.varint(),
        };
        let value = value.unwrap();
        self.seen.push((f.name, value));
        value
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Field(f) => {
                    self.field(f);
                }
                Item::Flags(all) => {
                    self.flags = self.r.byte().unwrap();
                    for f in *all {
                        let set = self.flags & f.mask != 0;
                        self.seen.push((f.name, u64::from(set)));
                    }
                }
                Item::Choice(f, known) => {
                    self.choice = self.field(f) as u8;
                    assert!(known.iter().any(|k| k.0 == self.choice));
                }
                Item::IfFlag(mask, then) if self.flags & mask != 0 => self.items(then),
                Item::IfChoice(code, then) if self.choice == *code => self.items(then),
                Item::IfFlag(..) | Item::IfChoice(..) => {}
                Item::Group(all) => self.items(all),
                Item::Blocks { name, down, .. } => self.blocks(name, *down),
            }
        }
    }

    fn blocks(&mut self, name: &'static str, down: bool) {
        let cumulative = self.seen.iter().find(|s| s.0 == "cumulative").unwrap().1;
        let mut from = cumulative;
        for i in 0..self.r.varint().unwrap() {
            let (distance, len) = (self.r.varint().unwrap(), self.r.varint().unwrap());
            let start = match (down, i) {
                (true, 0) => from + distance - len,
                (true, _) => from - distance - len,
                (false, _) => from + distance,
            };
            from = if down { start } else { start + len };
            self.seen.extend([(name, start), (name, start + len)]);
        }
    }
}

/// Reads one frame by the table; returns what stands behind it.
fn walk(bytes: &[u8]) -> (Seen, &[u8]) {
    let layout = CONTROL.iter().find(|l| l.kind == bytes[0]).unwrap();
    let mut walk = Walk {
        r: Reader::new(&bytes[1..]),
        seen: Seen::new(),
        flags: 0,
        choice: 0,
    };
    walk.items(layout.items);
    (walk.seen, walk.r.rest())
}

fn offer(o: &Offer) -> Seen {
    [
        ("offer.ecn", u64::from(o.ecn)),
        ("offer.first_number", o.first_number),
        ("offer.window", o.window),
        ("offer.mss", o.mss.into()),
        ("offer.beta", o.beta.into()),
        ("offer.l", o.packets.into()),
        ("offer.shortest", o.shortest.into()),
        ("offer.longest", o.longest.into()),
    ]
    .into()
}

fn receipt(r: &Receipt) -> Seen {
    [
        ("cumulative", r.cumulative),
        ("window", r.window),
        ("largest", r.largest),
        ("packets", r.packets),
        ("sync_heard", r.sync),
    ]
    .into()
}

fn counts(e: &EcnCounts) -> Seen {
    [("ecn.ect0", e.ect0), ("ecn.ect1", e.ect1), ("ecn.ce", e.ce)].into()
}

fn tack(t: &Tack<'_>) -> Seen {
    let h = &t.head;
    let mut all = Seen::from([
        ("has_ecn", u64::from(h.ecn.is_some())),
        ("has_fastest", u64::from(h.fastest.is_some())),
        ("rate_app_limited", u64::from(h.app_limited)),
    ]);
    all.extend(receipt(&h.receipt));
    all.extend([
        ("unsettled", h.receipt.largest - h.settled),
        ("rate", h.rate),
        ("interval", h.interval.into()),
        ("hold", h.hold.into()),
    ]);
    if let Some(f) = &h.fastest {
        all.extend([
            ("fastest.stamp", f.stamp.into()),
            ("fastest.hold", f.hold.into()),
        ]);
    }
    all.extend([("expected", h.expected), ("lost", h.lost)]);
    all.extend(h.ecn.iter().flat_map(counts));
    let edges = |name, b: Block| [(name, b.start), (name, b.end)];
    all.extend(t.acked.flat_map(|b| edges("acked", b)));
    all.extend(t.unacked.flat_map(|b| edges("unacked", b)));
    all
}

fn iack(i: &Iack) -> Seen {
    let (code, more) = match &i.reason {
        IackReason::Loss { second, largest } => {
            let span = largest - second;
            (1, [("loss.largest", *largest), ("loss.span", span)].into())
        }
        IackReason::Window => (2, Seen::new()),
        IackReason::Confirm { echo, hold } => {
            let hold = ("confirm.hold", u64::from(*hold));
            (3, [("confirm.echo", u64::from(*echo)), hold].into())
        }
        IackReason::Mark(e) => (4, counts(e)),
    };
    [Seen::from([("iack", code)]), receipt(&i.receipt), more].concat()
}

/// Names and values in order, as the codec reads them.
fn seen(frame: &Frame<'_>) -> Seen {
    match frame {
        Frame::Ping => Seen::new(),
        Frame::Hello(h) => [offer(&h.offer), [("stamp", h.stamp.into())].into()].concat(),
        Frame::Accept(a) => {
            let words = [
                ("stamp", a.stamp.into()),
                ("accept.echo", a.echo.into()),
                ("accept.hold", a.hold.into()),
            ];
            [offer(&a.offer), words.into()].concat()
        }
        Frame::Tack(t) => tack(t),
        Frame::Iack(i) => iack(i),
        Frame::Sync(s) => [
            ("sync.number", s.number),
            ("sync.rtt_min", s.rtt_min.into()),
            ("sync.interval", s.interval.into()),
            ("sync.ack_loss", s.ack_loss_ppm.into()),
        ]
        .into(),
        Frame::Close(c) => [("cumulative", c.cumulative)].into(),
        Frame::Reset(r) => {
            let code = match r.code {
                ResetCode::Aborted => 0,
                ResetCode::Unknown => 1,
                ResetCode::Violation => 2,
                ResetCode::Other(code) => code,
            };
            [("reset", code)].into()
        }
    }
}

proptest! {
    /// A reader by the table and the codec see the same numbers in the same bytes.
    #[test]
    fn the_table_reads_what_the_codec_reads(control in any_frames()) {
        let (mut rest, mut by_table) = (&control[..], Vec::new());
        while !rest.is_empty() {
            let (numbers, behind) = walk(rest);
            by_table.push(numbers);
            rest = behind;
        }
        let by_codec: Vec<_> = Frames::new(&control).map(|f| seen(&f)).collect();
        prop_assert_eq!(by_table, by_codec);
    }
}

#[test]
fn the_table_has_every_frame_once() {
    let kinds: Vec<_> = CONTROL.iter().map(|l| usize::from(l.kind)).collect();
    assert_eq!(kinds, (0..kinds.len()).collect::<Vec<_>>());
    // The next number is no frame.
    let bytes = [kinds.len() as u8];
    let read = Frames::measure(&bytes, Space::Feedback);
    assert_eq!(read, Err(DecodeError::UnknownFrame { kind: bytes[0] }));
}
