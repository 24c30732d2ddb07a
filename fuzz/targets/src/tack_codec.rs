//! Any bytes are a TACK packet or are refused; what was read is read again after it has been written.

use acklab_proto::tack::wire::{Frame, Frames, Shape, decode, encode};

/// Runs one input: its first bytes choose what the receiver expects.
pub fn run(bytes: &[u8]) {
    let Some((&[a, b, c], packet)) = bytes.split_first_chunk() else {
        return;
    };
    let shape = Shape {
        id_len: a & 0x0f,
        tag_len: if a & 0x80 == 0 { 0 } else { 16 },
        next_data: u64::from(b) << 30,
        next_feedback: u64::from(b),
        next_seq: u64::from(c) << 31,
    };
    let Ok(read) = decode(packet, &shape) else {
        return;
    };
    for frame in Frames::new(read.control) {
        if let Frame::Tack(t) = frame {
            let mut above = u64::MAX;
            for block in t.acked {
                assert!(!block.is_empty() && block.end < above);
                above = block.start;
            }
            let mut below = t.head.receipt.cumulative;
            for block in t.unacked {
                assert!(!block.is_empty() && block.start >= below);
                below = block.end;
            }
        }
    }
    let mut out = vec![0; packet.len()];
    let n = encode(&read.packet, read.id, read.control, read.payload, &mut out)
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(n, packet.len());
    assert_eq!(decode(&out, &shape), Ok(read));
}
