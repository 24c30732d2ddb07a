//! Whose acknowledgements a PPDU with nothing else is for.

use super::*;

/// Feedback as long as data, by number.
#[derive(Default)]
struct Knows {
    log: Log,
    feedback: Vec<u32>,
}

impl MediumDriver for Knows {
    fn on_drop(&mut self, now: Instant, packet: Packet, reason: DropReason) {
        self.log.on_drop(now, packet, reason);
    }

    fn on_left(&mut self, now: Instant, packet: Packet, sojourn: Span) {
        self.log.on_left(now, packet, sojourn);
    }

    fn on_ppdu(&mut self, ppdu: &Ppdu) {
        self.log.on_ppdu(ppdu);
    }

    fn is_long_feedback(&self, packet: Packet) -> bool {
        self.feedback.contains(&packet.id.0)
    }
}

fn packet(id: u32, flow: u32, size: u32) -> Packet {
    Packet {
        id: PacketId(id),
        size,
        flow: FlowId(flow),
        ecn: Ecn::NotEct,
    }
}

/// Sends (flow, bytes) at once from station 1; returns the medium, and its PPDU as reported.
fn sent(long: bool, feedback: &[u32], packets: &[(u32, u32)]) -> (Medium, Ppdu) {
    let mut config = cell(1, ampdu(65_535));
    config.propagation = Span::from_nanos(100);
    let mut medium = Rig::new(config, 1).medium;
    if long {
        medium.expect_long_feedback();
    }
    let mut driver = Knows {
        feedback: feedback.to_vec(),
        ..Knows::default()
    };
    for (id, &(flow, size)) in (0..).zip(packets) {
        medium.offer(us(0), PortId(0), 0, packet(id, flow, size), &mut driver);
    }
    let mut arrived = 0;
    while let Some(at) = medium.next_wakeup() {
        while medium.advance(at, &mut driver).is_some() {
            arrived += 1;
        }
    }
    assert_eq!(arrived, packets.len());
    let data: Vec<_> = driver.log.ppdus.iter().filter(|p| p.mpdus > 0).collect();
    assert_eq!(data.len(), 1, "all in one A-MPDU");
    (medium, *data[0])
}

#[test]
fn a_ppdu_of_acks_is_parted_by_their_bytes() {
    let (medium, ppdu) = sent(false, &[], &[(1, 52), (3, 40), (1, 76)]);
    assert_eq!(ppdu.use_of, Use::TransportAck);
    let of = |flow| medium.feedback_airtime(FlowId(flow));
    assert_eq!(of(1) + of(3), ppdu.end - ppdu.start);
    assert_eq!(of(3), (ppdu.end - ppdu.start).mul_div(40, 168));
    assert_eq!([of(0), of(2), of(99)], [Span::ZERO; 3]);
}

#[test]
fn acks_beside_data_are_data() {
    let (medium, ppdu) = sent(true, &[], &[(1, 52), (3, 1500)]);
    assert_eq!(ppdu.use_of, Use::Data);
    assert_eq!(medium.feedback_airtime(FlowId(1)), Span::ZERO);
}

#[test]
fn feedback_as_long_as_data_is_known_where_it_is_expected() {
    for (long, of) in [(true, Use::TransportAck), (false, Use::Data)] {
        let (medium, ppdu) = sent(long, &[0, 1], &[(1, 1400), (1, 300), (1, 60)]);
        assert_eq!(ppdu.use_of, of);
        let whole = ppdu.end - ppdu.start;
        let booked = if long { whole } else { Span::ZERO };
        assert_eq!(medium.feedback_airtime(FlowId(1)), booked);
    }
}
