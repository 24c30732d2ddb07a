//! Properties of the codec: what is written is read again, and any bytes are read or refused.

use super::*;
use crate::segment::Ecn;
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;

const SHAPE: Shape = Shape {
    id_len: 8,
    tag_len: 16,
    next_data: 1_000_000,
    next_feedback: 500,
    next_seq: 5_000_000_000,
};

fn receipt() -> impl Strategy<Value = Receipt> {
    (
        0u64..1 << 50,
        0u64..1 << 40,
        0u64..1 << 40,
        0u64..1 << 40,
        0u64..100,
    )
        .prop_map(|(cumulative, window, largest, packets, sync)| Receipt {
            cumulative,
            window,
            largest,
            packets,
            sync,
        })
}

fn counts() -> impl Strategy<Value = EcnCounts> {
    (0u64..1 << 40, 0u64..1 << 40, 0u64..1 << 40).prop_map(|(ect0, ect1, ce)| EcnCounts {
        ect0,
        ect1,
        ce,
    })
}

fn head() -> impl Strategy<Value = TackHead> {
    (
        receipt(),
        0u64..1 << 20,
        (0u64..1 << 40, any::<u32>(), any::<bool>(), any::<u32>()),
        prop::option::of(
            (any::<u32>(), any::<u32>()).prop_map(|(stamp, hold)| Fastest { stamp, hold }),
        ),
        (0u64..1 << 30, 0.0..1.0f64),
        prop::option::of(counts()),
    )
        .prop_map(
            |(receipt, behind, rate, fastest, (expected, lost), ecn)| TackHead {
                receipt,
                settled: receipt.largest.saturating_sub(behind),
                rate: rate.0,
                interval: rate.1,
                app_limited: rate.2,
                hold: rate.3,
                fastest,
                expected,
                lost: (expected as f64 * lost) as u64,
                ecn,
            },
        )
}

fn offer() -> impl Strategy<Value = Offer> {
    (
        any::<u32>(),
        0u64..1 << 40,
        1u16..,
        (1u8.., 1u8..),
        (0u32..10_000_000, 0u32..10_000_000),
        any::<bool>(),
    )
        .prop_map(|(first, window, mss, (beta, packets), span, ecn)| Offer {
            first_number: u64::from(first),
            window,
            mss,
            beta,
            packets,
            shortest: span.0,
            longest: span.1,
            ecn,
        })
}

fn iack() -> impl Strategy<Value = Iack> {
    let reason = prop_oneof![
        (0u64..1 << 40, 2u64..1000).prop_map(|(second, n)| IackReason::Loss {
            second,
            largest: second + n
        }),
        Just(IackReason::Window),
        (any::<u32>(), any::<u32>()).prop_map(|(echo, hold)| IackReason::Confirm { echo, hold }),
        counts().prop_map(IackReason::Mark),
    ];
    (receipt(), reason).prop_map(|(receipt, reason)| Iack { receipt, reason })
}

/// Ranges above `from`, none touching another.
fn ranges(from: u64, steps: &[(u64, u64)]) -> Vec<Block> {
    let mut at = from;
    steps
        .iter()
        .map(|&(gap, len)| {
            let start = at + gap;
            at = start + len;
            Block { start, end: at }
        })
        .collect()
}

fn written(frame: &Frame<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    frame.put(&mut out);
    out
}

/// Puts control frames into a packet of feedback and takes them out again.
fn through_a_packet(control: &[u8]) -> Vec<u8> {
    let packet = Packet {
        header: Header {
            number: 501,
            number_len: 2,
            space: Space::Feedback,
            id_len: 8,
            tag_len: 16,
        },
        control: control.len() as u16,
        data: None,
        ecn: Ecn::NotEct,
    };
    let mut out = vec![0; packet.wire_len() as usize];
    let n = encode(&packet, &[7; 8], control, &[], &mut out).unwrap();
    let read = decode(&out[..n], &SHAPE).unwrap();
    assert_eq!((read.packet, read.id), (packet, &[7u8; 8][..]));
    read.control.to_vec()
}

/// The test's own view of a frame, so that frames with lists can be compared.
fn seen(control: &[u8]) -> Vec<alloc::string::String> {
    Frames::new(control)
        .map(|f| match f {
            Frame::Tack(t) => alloc::format!(
                "{:?} {:?} {:?}",
                t.head,
                t.acked.collect::<Vec<_>>(),
                t.unacked.collect::<Vec<_>>()
            ),
            other => alloc::format!("{other:?}"),
        })
        .collect()
}

/// Frames of every type, written one behind the other.
pub(super) fn any_frames() -> impl Strategy<Value = Vec<u8>> {
    let steps = prop::collection::vec((1u64..100_000, 1u64..100_000), 0..6);
    let handshake = (offer(), any::<[u32; 3]>());
    let codes = (0u64..1 << 40, any::<u32>(), 0u32..=1_000_000);
    (head(), steps, iack(), handshake, codes).prop_map(|(head, steps, iack, (offer, words), c)| {
        let mut out = Vec::new();
        Frame::put_tack_head(&head, &mut out);
        let blocks = ranges(head.receipt.cumulative, &steps);
        let mut list = ListWriter::acked(&mut out, head.receipt.cumulative, 1 << 10);
        blocks.iter().rev().for_each(|b| assert!(list.push(*b)));
        let mut list = ListWriter::unacked(&mut out, head.receipt.cumulative, 1 << 10);
        blocks.iter().for_each(|b| assert!(list.push(*b)));
        let [stamp, echo, hold] = words;
        let more = [
            Frame::Ping,
            Frame::Iack(iack),
            Frame::Hello(Hello { offer, stamp }),
            Frame::Accept(Accept {
                offer,
                stamp,
                echo,
                hold,
            }),
            Frame::Sync(Sync {
                number: c.0,
                rtt_min: c.1,
                interval: c.1 / 2,
                ack_loss_ppm: c.2,
            }),
            Frame::Close(Close { cumulative: c.0 }),
            Frame::Reset(Reset {
                code: ResetCode::from_code(c.0 % 5),
            }),
        ];
        more.iter().for_each(|f| f.put(&mut out));
        out
    })
}

proptest! {
    #[test]
    fn data_packets_come_out_as_they_went_in(
        number in 990_000u64..1_000_010, seq in 4_999_000_000u64..5_001_000_000,
        len in 0usize..1434, stamp in any::<u32>(), flags in any::<(bool, bool, bool)>(),
    ) {
        let packet = Packet {
            header: Header {
                number,
                number_len: number_len(number, 990_000),
                space: Space::Data,
                id_len: 8,
                tag_len: 16,
            },
            control: 0,
            data: Some(Data {
                seq, len: len as u32, stamp, fin: flags.0 || len == 0, now: flags.1, app_limited: flags.2,
            }),
            ecn: Ecn::NotEct,
        };
        let payload: Vec<u8> = (0..len).map(|i| i as u8).collect();
        let mut out = vec![0xff; 1472];
        let n = encode(&packet, &[1; 8], &[], &payload, &mut out).unwrap();
        prop_assert_eq!(n as u32, packet.wire_len());
        prop_assert!(n as u32 + 28 <= 1500);
        let read = decode(&out[..n], &SHAPE).unwrap();
        prop_assert_eq!(read.packet, packet);
        prop_assert_eq!(read.payload, &payload[..]);
    }

    #[test]
    fn handshakes_come_out_as_they_went_in(offer in offer(), words in any::<[u32; 3]>()) {
        let hello = Frame::Hello(Hello { offer, stamp: words[0] });
        let accept = Frame::Accept(Accept { offer, stamp: words[0], echo: words[1], hold: words[2] });
        for frame in [hello, accept] {
            let control = through_a_packet(&written(&frame));
            prop_assert_eq!(seen(&control), [alloc::format!("{frame:?}")]);
        }
    }

    #[test]
    fn small_frames_come_out_as_they_went_in(
        iack in iack(), number in 0u64..1 << 40, rtt in any::<u32>(), loss in 0u32..=1_000_000,
        code in 3u64..1 << 40, cumulative in 0u64..1 << 40,
    ) {
        let sync = Sync { number, rtt_min: rtt, interval: rtt / 2, ack_loss_ppm: loss };
        let frames = [
            Frame::Iack(iack),
            Frame::Sync(sync),
            Frame::Close(Close { cumulative }),
            Frame::Reset(Reset { code: ResetCode::Violation }),
            Frame::Reset(Reset { code: ResetCode::Other(code) }),
        ];
        let mut control = Vec::new();
        frames.iter().for_each(|f| f.put(&mut control));
        let control = through_a_packet(&control);
        let expected: Vec<_> = frames.iter().map(|f| alloc::format!("{f:?}")).collect();
        prop_assert_eq!(seen(&control), expected);
    }

    /// Both lists come out in their order, and what did not fit was left out at the end.
    #[test]
    fn lists_come_out_as_far_as_they_fit(
        head in head(), steps in prop::collection::vec((1u64..100_000, 1u64..100_000), 0..60), budget in 2usize..400,
    ) {
        let cumulative = head.receipt.cumulative;
        let blocks = ranges(cumulative, &steps);
        let gaps: Vec<Block> = core::iter::once(cumulative)
            .chain(blocks.iter().map(|b| b.end))
            .zip(&blocks)
            .map(|(start, b)| Block { start, end: b.start })
            .collect();
        let mut out = Vec::new();
        Frame::put_tack_head(&head, &mut out);
        let before = out.len();
        let mut list = ListWriter::acked(&mut out, cumulative, budget);
        let acked: Vec<Block> = blocks.iter().rev().copied().take_while(|b| list.push(*b)).collect();
        prop_assert_eq!(usize::from(list.count()), acked.len());
        let middle = out.len();
        let mut list = ListWriter::unacked(&mut out, cumulative, budget);
        let unacked: Vec<Block> = gaps.iter().copied().take_while(|b| list.push(*b)).collect();
        prop_assert!(middle - before <= budget && out.len() - middle <= budget);
        let control = through_a_packet(&out);
        let mut frames = Frames::new(&control);
        let Some(Frame::Tack(read)) = frames.next() else { panic!("no TACK") };
        prop_assert!(frames.next().is_none());
        prop_assert_eq!(read.head, head);
        prop_assert_eq!(read.acked.collect::<Vec<_>>(), acked);
        prop_assert_eq!(read.unacked.collect::<Vec<_>>(), unacked);
        prop_assert_eq!(written(&Frame::Tack(read)), out);
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..200), valid in any::<bool>()) {
        if valid && !bytes.is_empty() {
            bytes[0] = VERSION << 5 | (bytes[0] & 0x1b);
        }
        if let Ok(read) = decode(&bytes, &SHAPE) {
            for frame in Frames::new(read.control) {
                if let Frame::Tack(t) = frame {
                    t.acked.chain(t.unacked).for_each(|b| assert!(!b.is_empty()));
                }
            }
            let mut out = vec![0; bytes.len()];
            let n = encode(&read.packet, read.id, read.control, read.payload, &mut out).unwrap();
            prop_assert_eq!(decode(&out[..n], &SHAPE), Ok(read));
        }
    }

    /// A packet that was cut short is refused, or read as a shorter one: never more than there is.
    #[test]
    fn a_cut_packet_never_reads_beyond_its_end(iack in iack(), cut in 0usize..200) {
        let control = written(&Frame::Iack(iack));
        let whole = through_a_packet(&control);
        let cut = cut.min(whole.len().saturating_sub(1));
        prop_assert!(Frames::new(&whole[..cut]).next().is_none());
    }
}

#[test]
fn a_frame_stands_only_where_it_belongs() {
    let header = |space| Header {
        number: 1_000_000,
        number_len: 3,
        space,
        id_len: 0,
        tag_len: 0,
    };
    let shape = Shape {
        id_len: 0,
        tag_len: 0,
        ..SHAPE
    };
    let write = |space, control: &[u8]| {
        let packet = Packet {
            header: header(space),
            control: control.len() as u16,
            ..Packet::default()
        };
        let mut out = vec![0; 64];
        let n = encode(&packet, &[], control, &[], &mut out).unwrap();
        out.truncate(n);
        out
    };
    let ping = written(&Frame::Ping);
    assert!(decode(&write(Space::Data, &ping), &shape).is_ok());
    assert_eq!(
        decode(&write(Space::Feedback, &ping), &shape),
        Err(DecodeError::Misplaced { kind: 1 })
    );
    let sync = written(&Frame::Sync(Sync::default()));
    assert!(decode(&write(Space::Feedback, &sync), &shape).is_ok());
    assert_eq!(
        decode(&write(Space::Data, &sync), &shape),
        Err(DecodeError::Misplaced { kind: 6 })
    );
    assert_eq!(
        decode(&write(Space::Data, &[]), &shape),
        Err(DecodeError::Empty)
    );
    assert_eq!(
        decode(&[0xff; 9], &shape),
        Err(DecodeError::Version { version: 7 })
    );
    assert_eq!(
        decode(&[0x24, 0, 1], &shape),
        Err(DecodeError::Reserved { byte: 0x24 })
    );
}
