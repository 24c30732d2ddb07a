//! A peer that lies, and input that is none.

use super::world::{Channel, World, endpoint};
use crate::datagram::Datagram;
use crate::endpoint::{Endpoint, Event};
use crate::segment::Ecn;
use crate::tack::config::TackConfig;
use crate::tack::endpoint::{Role, State, TackEndpoint};
use crate::tack::receiver::micros;
use crate::tack::wire::{
    Accept, Block, Fastest, Frame, Frames, Header, ListWriter, Offer, Packet, Receipt, Space,
    TackHead,
};
use crate::transport::{Socket, Transport};
use acklab_units::{Instant, Rate, Span};
use alloc::vec::Vec;
use proptest::prelude::*;

/// An endpoint under test, and a peer that says what it likes.
struct Liar {
    end: TackEndpoint,
    now: Instant,
    feedback: u64,
    /// Packets that the endpoint has sent: number and range.
    sent: Vec<(u64, u64, u64)>,
}

impl Liar {
    fn new(cc: &str, skip_within: u32) -> Self {
        let cfg = TackConfig {
            skip_within,
            send_buffer: 1 << 30,
            ..TackConfig::default()
        };
        let mut end = endpoint(Role::Active, &cfg, cc, 5);
        end.write(1 << 30);
        end.open(Instant::ZERO);
        let Some(Datagram::Tack(_)) = end.poll_transmit(Instant::ZERO) else {
            panic!("no HELLO")
        };
        let Some(Frame::Hello(hello)) = Frames::new(end.attachment()).next() else {
            panic!("no HELLO")
        };
        let mut it = Self {
            end,
            now: Instant::ZERO + Span::from_millis(20),
            feedback: 0,
            sent: Vec::new(),
        };
        let mut control = Vec::new();
        Frame::Accept(Accept {
            offer: Offer {
                window: 1 << 30,
                ..hello.offer
            },
            stamp: 0,
            echo: hello.stamp,
            hold: 0,
        })
        .put(&mut control);
        it.tell(&control);
        it
    }

    fn tell(&mut self, control: &[u8]) {
        let packet = Packet {
            header: Header {
                number: self.feedback,
                number_len: 4,
                space: Space::Feedback,
                id_len: 8,
                tag_len: 16,
            },
            control: control.len() as u16,
            data: None,
            ecn: Ecn::NotEct,
        };
        self.feedback += 1;
        self.end
            .on_datagram_with(self.now, &Datagram::Tack(packet), control);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(Datagram::Tack(p)) = self.end.poll_transmit(self.now) {
            if let Some(d) = p.data {
                self.sent.push((p.header.number, d.seq, d.end()));
            }
        }
    }

    fn wait(&mut self, span: Span) {
        let end = self.now + span;
        while let Some(t) = self.end.next_timeout().filter(|t| *t <= end) {
            self.now = t;
            self.end.on_timeout(t);
            self.drain();
        }
        self.now = end;
    }

    fn tack(&mut self, head: &TackHead, acked: &[Block]) {
        let mut control = Vec::new();
        Frame::put_tack_head(head, &mut control);
        let cumulative = head.receipt.cumulative;
        let mut list = ListWriter::acked(&mut control, cumulative, 1000);
        for b in acked {
            list.push(*b);
        }
        ListWriter::unacked(&mut control, cumulative, 2);
        self.tell(&control);
    }

    /// Everything up to the latest number, as if it had arrived.
    fn all(&self) -> TackHead {
        let (first, last) = (self.sent[0].0, self.sent[self.sent.len() - 1]);
        TackHead {
            receipt: Receipt {
                cumulative: last.2,
                window: 1 << 30,
                largest: last.0,
                packets: last.0 - first + 1,
                sync: 0,
            },
            settled: last.0,
            ..TackHead::default()
        }
    }

    fn was_refused(&mut self) -> bool {
        let mut reset = false;
        while let Some(e) = self.end.poll_event() {
            reset |= e == Event::Reset;
        }
        reset && self.end.state() == State::Broken
    }
}

#[test]
fn acknowledging_what_was_never_sent_breaks_the_connection_off() {
    let lies: [fn(&mut TackHead); 3] = [
        |h| h.receipt.cumulative += 1,
        |h| h.receipt.largest += 1,
        |h| h.receipt.packets += 1,
    ];
    for lie in lies {
        let mut l = Liar::new("cubic", 0);
        l.wait(Span::from_millis(20));
        let mut head = l.all();
        lie(&mut head);
        l.tack(&head, &[]);
        assert!(l.was_refused());
    }
    let mut l = Liar::new("cubic", 0);
    l.wait(Span::from_millis(20));
    let mut head = l.all();
    let end = head.receipt.cumulative;
    head.receipt.cumulative = 0;
    let beyond = Block {
        start: end - 10,
        end: end + 10,
    };
    l.tack(&head, &[beyond]);
    assert!(l.was_refused());
}

/// A receiver that acknowledges everything the moment it may have been sent is found out at the
/// first number that was skipped.
#[test]
fn optimistic_acknowledgement_is_found_out() {
    let mut l = Liar::new("cubic", 64);
    for _ in 0..500 {
        l.wait(Span::from_millis(5));
        if l.sent.is_empty() {
            continue;
        }
        let head = l.all();
        l.tack(&head, &[]);
        if l.end.state() == State::Broken {
            assert!(l.was_refused());
            // By the second skip at the latest, which is less than 200 packets away.
            assert!(l.sent.len() < 1000, "{}", l.sent.len());
            return;
        }
    }
    panic!("never found out, {} packets", l.sent.len());
}

/// A receiver that gets 8.6 Mbit/s and claims a million times as much drives the sender to no more
/// than twice what it acknowledges.
#[test]
fn a_claimed_rate_is_bounded_by_what_was_acknowledged() {
    for cc in ["bbr1", "bbr3"] {
        let mut l = Liar::new(cc, 0);
        l.wait(Span::from_millis(20));
        let mut got = 0;
        for _ in 0..300 {
            l.wait(Span::from_millis(10));
            got = (got + 7).min(l.sent.len() - 1);
            let mut head = l.all();
            let (number, _, end) = l.sent[got];
            head.receipt.cumulative = end;
            head.receipt.largest = number;
            head.receipt.packets = number - l.sent[0].0 + 1;
            head.settled = number;
            head.rate = 1_000_000_000_000;
            head.interval = 1;
            l.tack(&head, &[]);
            assert_ne!(l.end.state(), State::Broken);
        }
        let rate = l.end.snapshot().delivery_rate.unwrap();
        assert!(rate <= Rate::from_bps(20_000_000), "{cc} {rate:?}");
    }
}

#[test]
fn a_stamp_that_never_left_is_no_measurement() {
    let mut l = Liar::new("cubic", 0);
    l.wait(Span::from_millis(20));
    let min = l.end.snapshot().min_rtt;
    for stamp in [micros(l.now).wrapping_add(1), micros(l.now)] {
        let mut head = l.all();
        head.fastest = Some(Fastest { stamp, hold: 0 });
        head.hold = u32::MAX;
        l.tack(&head, &[]);
        assert_eq!(l.end.snapshot().min_rtt, min);
    }
}

/// IACKs that name the same loss again and again repair it once.
#[test]
fn a_flood_of_iacks_repairs_once() {
    use crate::tack::wire::{Iack, IackReason};
    let mut l = Liar::new("fixed", 0);
    l.wait(Span::from_millis(30));
    let first = l.sent[0].0;
    let before = l.sent.len();
    for _ in 0..50 {
        let receipt = Receipt {
            cumulative: 0,
            window: 1 << 30,
            largest: first + 5,
            packets: 1,
            sync: 0,
        };
        let reason = IackReason::Loss {
            second: first - 1,
            largest: first + 5,
        };
        let mut control = Vec::new();
        Frame::Iack(Iack { receipt, reason }).put(&mut control);
        l.tell(&control);
        l.wait(Span::from_micros(100));
    }
    let again = l.sent[before..].iter().filter(|s| s.1 < l.sent[5].1);
    assert_eq!(again.count(), 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever stands in packets, in whatever order: nothing panics, and timers lead forward.
    #[test]
    fn noise_is_borne(packets in prop::collection::vec((any::<[u8; 12]>(), prop::collection::vec(any::<u8>(), 0..60)), 1..60), active in any::<bool>()) {
        let cfg = TackConfig::default();
        let role = if active { Role::Active } else { Role::Passive };
        let mut w = World::new(&cfg, "cubic", [Channel::clean(5, 10), Channel::clean(5, 10)], 9);
        w.start(30_000);
        w.run_for(Span::from_millis(40));
        let _ = role;
        for (head, body) in packets {
            let mut bytes = std::vec![0x20 | (head[0] & 0x1b)];
            bytes.extend_from_slice(&[7; 8]);
            bytes.extend_from_slice(&head[1..]);
            bytes.extend_from_slice(&body);
            let to = usize::from(active);
            let now = w.now;
            if let Ok(read) = crate::tack::wire::decode(&bytes, &w.ends[to].shape()) {
                w.ends[to].on_datagram_with(now, &Datagram::Tack(read.packet), read.control);
                w.serve(to);
            }
            w.run_for(Span::from_millis(u64::from(head[1])));
        }
    }
}
