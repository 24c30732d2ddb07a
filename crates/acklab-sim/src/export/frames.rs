//! The content of a packet of TACK, as JSON: the frames of qlog's files.
//!
//! Names are those of the format's table (`docs/reference/tack-wire.md`). Numbers are whole, blocks
//! are half open ranges of stream offsets, and what a packet need not say is left out. The schema is
//! `docs/schema/tack-qlog.cddl`.

use acklab_proto::tack::wire::{
    Accept, Block, Data, EcnCounts, Fastest, Frame, Frames, Hello, Iack, IackReason, Offer, Packet,
    Receipt, Reset, ResetCode, Sync, Tack,
};
use serde_json::{Map, Value, json};

/// The frames of `packet`, whose control frames are `control`, as a JSON array.
pub fn tack_frames(packet: &Packet, control: &[u8]) -> String {
    let mut frames: Vec<Value> = Frames::new(control).map(|f| frame(&f)).collect();
    frames.extend(packet.data.as_ref().map(data));
    Value::Array(frames).to_string()
}

fn frame(frame: &Frame<'_>) -> Value {
    match frame {
        Frame::Ping => json!({ "frame_type": "ping" }),
        Frame::Hello(f) => hello(f),
        Frame::Accept(f) => accept(f),
        Frame::Tack(f) => tack(f),
        Frame::Iack(f) => iack(f),
        Frame::Sync(f) => sync(f),
        Frame::Close(f) => json!({ "frame_type": "close", "cumulative": f.cumulative }),
        Frame::Reset(f) => json!({ "frame_type": "reset", "code": code(f) }),
    }
}

/// A frame whose `first` fields are followed by those of `more`.
fn joined(mut first: Value, more: Value) -> Value {
    if let (Some(all), Value::Object(more)) = (first.as_object_mut(), more) {
        all.extend(more);
    }
    first
}

/// QUIC's frame of a stream, so that tools made for QUIC draw it, and what TACK has beside it.
fn data(d: &Data) -> Value {
    let mut all = Map::new();
    all.insert("frame_type".into(), "stream".into());
    all.insert("stream_id".into(), 0.into());
    all.insert("offset".into(), d.seq.into());
    all.insert("length".into(), d.len.into());
    all.insert("stamp_us".into(), d.stamp.into());
    let flags = [
        ("fin", d.fin),
        ("now", d.now),
        ("app_limited", d.app_limited),
    ];
    for (name, _) in flags.into_iter().filter(|f| f.1) {
        all.insert(name.into(), true.into());
    }
    Value::Object(all)
}

fn offer(o: &Offer) -> Value {
    json!({
        "first_number": o.first_number,
        "window": o.window,
        "mss": o.mss,
        "beta": o.beta,
        "l": o.packets,
        "shortest_us": o.shortest,
        "longest_us": o.longest,
        "ecn": o.ecn,
    })
}

fn hello(f: &Hello) -> Value {
    json!({ "frame_type": "hello", "offer": offer(&f.offer), "stamp_us": f.stamp })
}

fn accept(f: &Accept) -> Value {
    json!({
        "frame_type": "accept",
        "offer": offer(&f.offer),
        "stamp_us": f.stamp,
        "echo_us": f.echo,
        "hold_us": f.hold,
    })
}

fn receipt(r: &Receipt) -> Value {
    json!({
        "cumulative": r.cumulative,
        "window": r.window,
        "largest": r.largest,
        "packets": r.packets,
        "sync_heard": r.sync,
    })
}

fn marks(e: &EcnCounts) -> Value {
    json!({ "ect0": e.ect0, "ect1": e.ect1, "ce": e.ce })
}

fn blocks(all: impl Iterator<Item = Block>) -> Value {
    all.map(|b| json!([b.start, b.end])).collect()
}

fn tack(f: &Tack<'_>) -> Value {
    let h = &f.head;
    let mut own = json!({
        "frame_type": "tack",
        "settled": h.settled,
        "hold_us": h.hold,
        "expected": h.expected,
        "lost": h.lost,
        "acked": blocks(f.acked),
        "unacked": blocks(f.unacked),
    });
    if h.rate > 0 {
        own["rate"] = json!({
            "bits_per_s": h.rate.saturating_mul(8),
            "interval_us": h.interval,
            "app_limited": h.app_limited,
        });
    }
    if let Some(Fastest { stamp, hold }) = h.fastest {
        own["fastest"] = json!({ "stamp_us": stamp, "hold_us": hold });
    }
    if let Some(e) = &h.ecn {
        own["ecn"] = marks(e);
    }
    joined(own, receipt(&h.receipt))
}

fn iack(f: &Iack) -> Value {
    let own = match f.reason {
        IackReason::Loss { second, largest } => json!({
            "reason": "loss",
            // First and last of what is missing, as QUIC writes ranges of numbers.
            "lost": [second + 1, largest - 1],
        }),
        IackReason::Window => json!({ "reason": "window" }),
        IackReason::Confirm { echo, hold } => {
            json!({ "reason": "confirm", "echo_us": echo, "hold_us": hold })
        }
        IackReason::Mark(e) => json!({ "reason": "mark", "ecn": marks(&e) }),
    };
    let named = joined(json!({ "frame_type": "iack" }), own);
    joined(named, receipt(&f.receipt))
}

fn sync(f: &Sync) -> Value {
    let mut own = json!({
        "frame_type": "sync",
        "number": f.number,
        "rtt_min_us": f.rtt_min,
        "ack_loss_ppm": f.ack_loss_ppm,
    });
    if f.interval > 0 {
        own["interval_us"] = f.interval.into();
    }
    own
}

fn code(f: &Reset) -> Value {
    match f.code {
        ResetCode::Aborted => "aborted".into(),
        ResetCode::Unknown => "no such connection".into(),
        ResetCode::Violation => "violation".into(),
        ResetCode::Other(code) => code.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_proto::tack::wire::{Close, Header, ListWriter, TackHead};

    fn packet(control: &[u8], data: Option<Data>) -> Packet {
        Packet {
            header: Header::default(),
            control: control.len() as u16,
            data,
            ecn: Default::default(),
        }
    }

    fn read(control: &[u8], data: Option<Data>) -> Value {
        let text = tack_frames(&packet(control, data), control);
        serde_json::from_str(&text).expect("JSON")
    }

    const RECEIPT: Receipt = Receipt {
        cumulative: 1000,
        window: 500,
        largest: 9,
        packets: 7,
        sync: 2,
    };

    #[test]
    fn data_is_a_stream_frame_and_says_only_what_holds() {
        let mut d = Data {
            seq: 1 << 40,
            len: 1434,
            stamp: 77,
            ..Data::default()
        };
        let plain = json!([{
            "frame_type": "stream", "stream_id": 0, "offset": 1_u64 << 40, "length": 1434,
            "stamp_us": 77,
        }]);
        assert_eq!(read(&[], Some(d)), plain);
        (d.fin, d.now) = (true, true);
        let told = read(&[], Some(d));
        assert_eq!(
            (&told[0]["fin"], &told[0]["now"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(told[0].get("app_limited"), None);
    }

    #[test]
    fn a_tack_and_an_iack_keep_their_order_and_every_field() {
        let mut control = Vec::new();
        let reason = IackReason::Loss {
            second: 5,
            largest: 8,
        };
        Frame::Iack(Iack {
            receipt: RECEIPT,
            reason,
        })
        .put(&mut control);
        let head = TackHead {
            receipt: RECEIPT,
            settled: 8,
            rate: 1_250_000,
            interval: 20_000,
            hold: 3,
            fastest: Some(Fastest { stamp: 4, hold: 6 }),
            expected: 9,
            lost: 2,
            ecn: Some(EcnCounts {
                ect0: 5,
                ect1: 0,
                ce: 2,
            }),
            ..TackHead::default()
        };
        Frame::put_tack_head(&head, &mut control);
        let mut list = ListWriter::acked(&mut control, 1000, 100);
        list.push(Block {
            start: 3000,
            end: 4000,
        });
        let mut list = ListWriter::unacked(&mut control, 1000, 100);
        list.push(Block {
            start: 1000,
            end: 3000,
        });
        let told = read(&control, None);
        assert_eq!(told[0]["reason"], "loss");
        assert_eq!(told[0]["lost"], json!([6, 7]));
        assert_eq!(told[0]["cumulative"], 1000);
        let tack = json!({
            "frame_type": "tack", "cumulative": 1000, "window": 500, "largest": 9, "packets": 7,
            "sync_heard": 2, "settled": 8, "hold_us": 3, "expected": 9, "lost": 2,
            "rate": { "bits_per_s": 10_000_000, "interval_us": 20_000, "app_limited": false },
            "fastest": { "stamp_us": 4, "hold_us": 6 },
            "ecn": { "ect0": 5, "ect1": 0, "ce": 2 },
            "acked": [[3000, 4000]], "unacked": [[1000, 3000]],
        });
        assert_eq!(told[1], tack);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let mut control = Vec::new();
        Frame::put_tack_head(&TackHead::default(), &mut control);
        ListWriter::acked(&mut control, 0, 10);
        ListWriter::unacked(&mut control, 0, 10);
        let told = read(&control, None);
        for absent in ["rate", "fastest", "ecn"] {
            assert_eq!(told[0].get(absent), None);
        }
    }

    #[test]
    fn the_other_frames() {
        let offer = Offer {
            first_number: 70,
            window: 6,
            mss: 1434,
            beta: 4,
            packets: 2,
            shortest: 1000,
            longest: 250_000,
            ecn: false,
        };
        let (stamp, echo, hold) = (1, 2, 3);
        let mut control = Vec::new();
        for frame in [
            Frame::Ping,
            Frame::Hello(Hello { offer, stamp }),
            Frame::Accept(Accept {
                offer,
                stamp,
                echo,
                hold,
            }),
            Frame::Sync(Sync {
                number: 1,
                rtt_min: 40_000,
                interval: 0,
                ack_loss_ppm: 5,
            }),
            Frame::Close(Close { cumulative: 4 }),
            Frame::Reset(Reset {
                code: ResetCode::Violation,
            }),
        ] {
            frame.put(&mut control);
        }
        let told = read(&control, None);
        let kinds: Vec<_> = told
            .as_array()
            .unwrap()
            .iter()
            .map(|f| &f["frame_type"])
            .collect();
        assert_eq!(kinds, ["ping", "hello", "accept", "sync", "close", "reset"]);
        assert_eq!(told[1]["offer"]["l"], 2);
        assert_eq!(told[2]["echo_us"], 2);
        assert_eq!(told[3].get("interval_us"), None);
        assert_eq!(told[5]["code"], "violation");
    }
}
