//! The option list of a TCP header (RFC 9293 section 3.2).

use super::{DecodeError, EncodeError};
use crate::ack::request::{AckOption, Frequency, MAX_RATE};
use crate::segment::{Flags, OptionLayout, SackBlock, SackBlocks, Segment, TCP_HEADER, Timestamps};
use acklab_units::SeqNum;

/// End of the list.
const EOL: u8 = 0;
/// Padding.
const NOP: u8 = 1;
/// Maximum segment size (RFC 9293 section 3.7.1).
const MSS: u8 = 2;
/// Window scale (RFC 7323 section 2).
const WINDOW_SCALE: u8 = 3;
/// SACK permitted (RFC 2018 section 2).
const SACK_PERMITTED: u8 = 4;
/// SACK blocks (RFC 2018 section 3).
const SACK: u8 = 5;
/// Timestamps (RFC 7323 section 3).
const TIMESTAMPS: u8 = 8;
/// Shared by experiments, which an identifier of 16 bits tells apart (RFC 6994 section 3).
const EXPERIMENT: u8 = 254;
/// The TCP ACK rate request (draft-ietf-tcpm-ack-rate-request; Wireshark and Google's packetdrill
/// have the same number).
const TARR: u16 = 0x00ac;
/// acklab's own, not registered with anybody: QUIC's ACK_FREQUENCY, IMMEDIATE_ACK and
/// `min_ack_delay`, told apart by their lengths.
const ACK_FREQUENCY: u16 = 0xacf1;

/// Most bytes of options: the header's 15 words less its fixed 5.
pub(super) const MAX_OPTIONS: usize = 40;

/// Largest window scale; a receiver takes a larger one for this (RFC 7323 section 2.3).
const MAX_SHIFT: u8 = 14;

/// The options as bytes, while they are being written.
pub(super) struct Writer {
    bytes: [u8; MAX_OPTIONS],
    len: usize,
}

impl Writer {
    /// The options of `segment` in the order and with the padding that Linux gives them: MSS;
    /// timestamps, behind SACK-permitted or two NOPs; window scale; SACK blocks.
    pub(super) fn for_segment(segment: &Segment) -> Result<Self, EncodeError> {
        let needed = segment.options_len() as usize;
        if needed > MAX_OPTIONS {
            return Err(EncodeError::OptionsTooLong { needed });
        }
        let mut w = Self {
            bytes: [EOL; MAX_OPTIONS],
            len: 0,
        };
        if segment.layout == OptionLayout::Packed {
            w.packed(segment)?;
            w.len = needed;
            return Ok(w);
        }
        let syn = segment.flags.contains(Flags::SYN);
        if syn && segment.syn.mss > 0 {
            w.put(&[MSS, 4]);
            w.put(&segment.syn.mss.to_be_bytes());
        }
        let permitted = syn && segment.syn.sack_permitted;
        w.sack_permitted_and_timestamps(permitted, segment.timestamps);
        if let Some(shift) = segment.syn.window_scale.filter(|_| syn) {
            w.window_scale(shift, &[NOP])?;
        }
        if let Some(ask) = segment.ask_on_wire() {
            w.put(&[NOP; 3][..(ask.padded_len() - ask.bare_len()) as usize]);
            w.ask(ask)?;
        }
        w.sack(&segment.sack, &[NOP, NOP]);
        debug_assert_eq!(w.len, needed);
        Ok(w)
    }

    /// The options as written.
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    fn sack_permitted_and_timestamps(&mut self, permitted: bool, timestamps: Option<Timestamps>) {
        match (permitted, timestamps.is_some()) {
            (true, true) => self.put(&[SACK_PERMITTED, 2]),
            (true, false) => self.put(&[NOP, NOP, SACK_PERMITTED, 2]),
            (false, true) => self.put(&[NOP, NOP]),
            (false, false) => {}
        }
        if let Some(t) = timestamps {
            self.timestamps(t);
        }
    }

    fn timestamps(&mut self, t: Timestamps) {
        self.put(&[TIMESTAMPS, 10]);
        self.put(&t.val.to_be_bytes());
        self.put(&t.ecr.to_be_bytes());
    }

    fn window_scale(&mut self, shift: u8, padding: &[u8]) -> Result<(), EncodeError> {
        if shift > MAX_SHIFT {
            return Err(EncodeError::WindowScale { shift });
        }
        self.put(padding);
        self.put(&[WINDOW_SCALE, 3, shift]);
        Ok(())
    }

    /// One option after the other, in ns-3's order: timestamps, window scale, SACK-permitted, SACK
    /// blocks. The rest of the last word ends the list.
    fn packed(&mut self, segment: &Segment) -> Result<(), EncodeError> {
        let syn = segment.flags.contains(Flags::SYN);
        if let Some(t) = segment.timestamps {
            self.timestamps(t);
        }
        if let Some(shift) = segment.syn.window_scale.filter(|_| syn) {
            self.window_scale(shift, &[])?;
        }
        if syn && segment.syn.sack_permitted {
            self.put(&[SACK_PERMITTED, 2]);
        }
        if syn && segment.syn.mss > 0 {
            self.put(&[MSS, 4]);
            self.put(&segment.syn.mss.to_be_bytes());
        }
        if let Some(ask) = segment.ask_on_wire() {
            self.ask(ask)?;
        }
        self.sack(&segment.sack, &[]);
        debug_assert_eq!(self.len, segment.bare_options_len() as usize);
        Ok(())
    }

    /// A request or announcement: kind, length, experiment, fields.
    fn ask(&mut self, ask: AckOption) -> Result<(), EncodeError> {
        let experiment = match ask {
            AckOption::TarrPermitted | AckOption::Tarr { .. } => TARR,
            _ => ACK_FREQUENCY,
        };
        self.put(&[EXPERIMENT, ask.bare_len() as u8]);
        self.put(&experiment.to_be_bytes());
        match ask {
            AckOption::TarrPermitted | AckOption::Immediate => {}
            // R in the upper seven bits, the last one reserved, as Wireshark has it.
            AckOption::Tarr { rate } if rate > MAX_RATE => {
                return Err(EncodeError::AckRate { rate });
            }
            AckOption::Tarr { rate } => self.put(&[rate << 1]),
            AckOption::FrequencyPermitted { min_delay_us } => self.delay(min_delay_us)?,
            AckOption::Frequency(f) => {
                self.put(&[f.sequence]);
                self.put(&f.threshold.to_be_bytes());
                self.put(&[f.reordering]);
                self.delay(f.max_delay_us)?;
            }
        }
        Ok(())
    }

    /// Microseconds in three bytes.
    fn delay(&mut self, us: u32) -> Result<(), EncodeError> {
        let [0, a, b, c] = us.to_be_bytes() else {
            return Err(EncodeError::AckDelay { us });
        };
        self.put(&[a, b, c]);
        Ok(())
    }

    fn sack(&mut self, blocks: &SackBlocks, padding: &[u8]) {
        if blocks.is_empty() {
            return;
        }
        let blocks = blocks.as_slice();
        self.put(padding);
        self.put(&[SACK, 2 + 8 * blocks.len() as u8]);
        for b in blocks {
            self.put(&b.start.0.to_be_bytes());
            self.put(&b.end.0.to_be_bytes());
        }
    }
}

/// Reads a list of options into `segment`, whose flags must be set already: what belongs on a SYN
/// is ignored elsewhere. Of an option that comes twice the last counts.
pub(super) fn read(list: &[u8], segment: &mut Segment) -> Result<(), DecodeError> {
    let mut rest = list;
    while let Some((&kind, behind)) = rest.split_first() {
        let at = TCP_HEADER as usize + list.len() - rest.len();
        match kind {
            EOL => break,
            NOP => rest = behind,
            _ => {
                let overrun = DecodeError::OptionOverrun { kind, at };
                let length = *behind.first().ok_or(overrun)?;
                let wrong = DecodeError::OptionLength { kind, length, at };
                if length < 2 {
                    return Err(wrong);
                }
                let option = rest.get(2..length as usize).ok_or(overrun)?;
                one(kind, option, segment).ok_or(wrong)?;
                rest = &rest[length as usize..];
            }
        }
    }
    Ok(())
}

/// Reads one option's contents; `None` if their length is wrong for the kind.
fn one(kind: u8, contents: &[u8], segment: &mut Segment) -> Option<()> {
    let syn = segment.flags.contains(Flags::SYN);
    match kind {
        MSS => {
            let mss = u16::from_be_bytes(contents.try_into().ok()?);
            segment.syn.mss = if syn { mss } else { 0 };
        }
        WINDOW_SCALE => {
            let [shift] = contents.try_into().ok()?;
            segment.syn.window_scale = syn.then_some(shift.min(MAX_SHIFT));
        }
        SACK_PERMITTED => {
            let [] = contents.try_into().ok()?;
            segment.syn.sack_permitted = syn;
        }
        SACK => segment.sack = blocks(contents)?,
        TIMESTAMPS => {
            let (val, ecr) = pair(contents.try_into().ok()?);
            segment.timestamps = Some(Timestamps { val, ecr });
        }
        EXPERIMENT => {
            // One that is not known here is skipped, whatever its length.
            if let Some(ask) = experiment(contents)? {
                segment.ask = Some(ask).filter(|ask| ask.announces() == syn);
            }
        }
        _ => {}
    }
    Some(())
}

/// Reads what an experiment's option asks for; `Some(None)` if the experiment is not known.
fn experiment(contents: &[u8]) -> Option<Option<AckOption>> {
    let Some((&[hi, lo], fields)) = contents.split_first_chunk() else {
        return Some(None);
    };
    let ask = match (u16::from_be_bytes([hi, lo]), fields) {
        (TARR, []) => AckOption::TarrPermitted,
        (TARR, [rate]) => AckOption::Tarr { rate: rate >> 1 },
        (ACK_FREQUENCY, []) => AckOption::Immediate,
        (ACK_FREQUENCY, &[a, b, c]) => AckOption::FrequencyPermitted {
            min_delay_us: u32::from_be_bytes([0, a, b, c]),
        },
        (ACK_FREQUENCY, &[sequence, t, u, reordering, a, b, c]) => {
            AckOption::Frequency(Frequency {
                sequence,
                threshold: u16::from_be_bytes([t, u]),
                reordering,
                max_delay_us: u32::from_be_bytes([0, a, b, c]),
            })
        }
        (TARR | ACK_FREQUENCY, _) => return None,
        _ => return Some(None),
    };
    Some(Some(ask))
}

fn blocks(contents: &[u8]) -> Option<SackBlocks> {
    if contents.is_empty() || !contents.len().is_multiple_of(8) {
        return None;
    }
    let mut blocks = SackBlocks::EMPTY;
    for b in contents.chunks_exact(8) {
        let (start, end) = pair(b.try_into().ok()?);
        blocks.push(SackBlock {
            start: SeqNum(start),
            end: SeqNum(end),
        });
    }
    Some(blocks)
}

fn pair(bytes: [u8; 8]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = bytes;
    (
        u32::from_be_bytes([a, b, c, d]),
        u32::from_be_bytes([e, f, g, h]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::SynOptions;

    fn syn() -> Segment {
        Segment {
            flags: Flags::SYN,
            ..Segment::default()
        }
    }

    fn parsed(flags: Flags, list: &[u8]) -> Result<Segment, DecodeError> {
        let mut s = Segment {
            flags,
            ..Segment::default()
        };
        read(list, &mut s).map(|()| s)
    }

    #[test]
    fn packed_options_are_read_back() {
        let mut sent = Segment {
            flags: Flags::SYN,
            timestamps: Some(Timestamps { val: 1, ecr: 2 }),
            syn: SynOptions {
                mss: 0,
                window_scale: Some(7),
                sack_permitted: true,
            },
            layout: OptionLayout::Packed,
            ..Segment::default()
        };
        sent.sack.push(SackBlock {
            start: SeqNum(10),
            end: SeqNum(20),
        });
        let bytes = Writer::for_segment(&sent).unwrap();
        assert_eq!(bytes.as_slice().len(), 28);
        let read = parsed(Flags::SYN, bytes.as_slice()).unwrap();
        assert_eq!(
            (read.timestamps, read.syn, read.sack),
            (sent.timestamps, sent.syn, sent.sack)
        );
    }

    #[test]
    fn the_layouts_of_linux() {
        let all = SynOptions {
            mss: 1460,
            window_scale: Some(7),
            sack_permitted: true,
        };
        let stamps = Some(Timestamps { val: 1, ecr: 2 });
        let with = |syn: SynOptions, timestamps| {
            let s = Segment {
                syn,
                timestamps,
                ..self::syn()
            };
            Writer::for_segment(&s).unwrap().as_slice().to_vec()
        };
        assert_eq!(
            with(all, stamps),
            [
                2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3, 7
            ]
        );
        assert_eq!(with(all, None), [2, 4, 5, 180, 1, 1, 4, 2, 1, 3, 3, 7]);
        assert_eq!(
            with(SynOptions::default(), stamps),
            [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]
        );
    }

    #[test]
    fn four_blocks_fit_only_without_timestamps() {
        let mut s = Segment::default();
        for i in 0..4 {
            s.sack.push(SackBlock {
                start: SeqNum(i),
                end: SeqNum(i + 1),
            });
        }
        assert_eq!(Writer::for_segment(&s).unwrap().as_slice().len(), 36);
        s.timestamps = Some(Timestamps::default());
        let refused = Writer::for_segment(&s).err();
        assert_eq!(refused, Some(EncodeError::OptionsTooLong { needed: 48 }));
    }

    #[test]
    fn syn_options_elsewhere_are_neither_written_nor_read() {
        let s = Segment {
            syn: SynOptions {
                mss: 1,
                window_scale: Some(1),
                sack_permitted: true,
            },
            flags: Flags::ACK,
            ..Segment::default()
        };
        assert!(Writer::for_segment(&s).unwrap().as_slice().is_empty());
        let list = [MSS, 4, 1, 1, WINDOW_SCALE, 3, 1, SACK_PERMITTED, 2];
        assert_eq!(
            parsed(Flags::ACK, &list).unwrap().syn,
            SynOptions::default()
        );
    }

    #[test]
    fn unknown_options_are_skipped_and_the_end_is_the_end() {
        let list = [254, 6, 1, 2, 3, 4, NOP, MSS, 4, 5, 180, EOL, 99, 99];
        assert_eq!(parsed(Flags::SYN, &list).unwrap().syn.mss, 1460);
    }

    #[test]
    fn a_window_scale_beyond_14_is_14() {
        let s = parsed(Flags::SYN, &[WINDOW_SCALE, 3, 200]).unwrap();
        assert_eq!(s.syn.window_scale, Some(14));
        let out = Segment {
            syn: SynOptions {
                window_scale: Some(15),
                ..SynOptions::default()
            },
            ..syn()
        };
        let refused = Writer::for_segment(&out).err();
        assert_eq!(refused, Some(EncodeError::WindowScale { shift: 15 }));
    }

    #[test]
    fn malformed_lists_are_refused_with_the_place() {
        let overrun = |kind, at| DecodeError::OptionOverrun { kind, at };
        let length = |kind, length, at| DecodeError::OptionLength { kind, length, at };
        let table: [(&[u8], DecodeError); 8] = [
            (&[TIMESTAMPS], overrun(8, 20)),
            (&[NOP, TIMESTAMPS, 10, 0, 0], overrun(8, 21)),
            (&[254, 0], length(254, 0, 20)),
            (&[NOP, NOP, 254, 1], length(254, 1, 22)),
            (&[MSS, 3, 0], length(2, 3, 20)),
            (&[TIMESTAMPS, 9, 0, 0, 0, 0, 0, 0, 0], length(8, 9, 20)),
            (&[SACK, 2], length(5, 2, 20)),
            (&[SACK, 6, 0, 0, 0, 0], length(5, 6, 20)),
        ];
        for (list, error) in table {
            assert_eq!(parsed(Flags::SYN, list), Err(error), "{list:?}");
        }
    }

    #[test]
    fn requests_as_they_stand_on_the_wire() {
        let frequency = AckOption::Frequency(Frequency {
            sequence: 1,
            threshold: 0x0203,
            reordering: 4,
            max_delay_us: 0x05_0607,
        });
        let table: [(Flags, AckOption, &[u8]); 5] = [
            (Flags::SYN, AckOption::TarrPermitted, &[254, 4, 0, 0xac]),
            (
                Flags::ACK,
                AckOption::Tarr { rate: 127 },
                &[1, 1, 1, 254, 5, 0, 0xac, 0xfe],
            ),
            (
                Flags::SYN,
                AckOption::FrequencyPermitted { min_delay_us: 1000 },
                &[1, 254, 7, 0xac, 0xf1, 0, 3, 0xe8],
            ),
            (
                Flags::ACK,
                frequency,
                &[1, 254, 11, 0xac, 0xf1, 1, 2, 3, 4, 5, 6, 7],
            ),
            (Flags::ACK, AckOption::Immediate, &[254, 4, 0xac, 0xf1]),
        ];
        for (flags, ask, bytes) in table {
            let s = Segment {
                flags,
                ask: Some(ask),
                ..Segment::default()
            };
            assert_eq!(Writer::for_segment(&s).unwrap().as_slice(), bytes);
            assert_eq!(parsed(flags, bytes).unwrap().ask, Some(ask));
        }
    }

    #[test]
    fn requests_that_do_not_fit_are_not_written() {
        let written = |ask| {
            let s = Segment {
                ask: Some(ask),
                ..Segment::default()
            };
            Writer::for_segment(&s).err()
        };
        let rate = 128;
        assert_eq!(
            written(AckOption::Tarr { rate }),
            Some(EncodeError::AckRate { rate })
        );
        let us = 1 << 24;
        let late = Frequency {
            max_delay_us: us,
            ..Frequency::default()
        };
        assert_eq!(
            written(AckOption::Frequency(late)),
            Some(EncodeError::AckDelay { us })
        );
    }

    #[test]
    fn a_request_on_a_syn_and_an_announcement_elsewhere_are_ignored() {
        for (flags, list) in [
            (Flags::SYN, [254, 5, 0, 0xac, 8].as_slice()),
            (Flags::ACK, &[254, 4, 0, 0xac]),
        ] {
            assert_eq!(parsed(flags, list).unwrap().ask, None);
        }
    }

    #[test]
    fn the_last_of_two_counts() {
        let list = [MSS, 4, 0, 1, MSS, 4, 0, 2];
        assert_eq!(parsed(Flags::SYN, &list).unwrap().syn.mss, 2);
    }
}
