use super::*;
use alloc::vec::Vec;
use proptest::prelude::*;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Span::from_millis(ms)
}

fn config(spread: Option<Span>) -> Config {
    Config {
        size: 1040,
        spread,
        report: Some(Span::from_secs(5)),
    }
}

fn opened(config: Config) -> Rtp {
    let mut end = Rtp::new(config);
    end.open(at(0));
    assert_eq!(end.poll_event(), Some(Event::Connected));
    end
}

/// Everything that leaves, with its instant in ms.
fn drain(end: &mut Rtp) -> Vec<(u64, Opaque)> {
    let mut sent = Vec::new();
    while let Some(now) = end.next_timeout() {
        end.on_timeout(now);
        while let Some(Datagram::Opaque(o)) = end.poll_transmit(now) {
            sent.push((now.as_nanos() / 1_000_000, o));
        }
    }
    sent
}

#[test]
fn a_frame_leaves_at_once_in_packets_of_its_own() {
    let mut end = opened(config(None));
    assert_eq!((end.write(2500), end.write(10)), (2500, 10));
    let sent = drain(&mut end);
    let sizes: Vec<_> = sent.iter().map(|(t, o)| (*t, o.size, o.len)).collect();
    assert_eq!(
        sizes,
        [(0, 1040, 1000), (0, 1040, 1000), (0, 540, 500), (0, 50, 10)]
    );
    assert_eq!(sent[3].1.number, 3);
}

#[test]
fn or_spread_over_a_time() {
    let mut end = opened(config(Some(Span::from_millis(12))));
    end.write(3000);
    let times: Vec<_> = drain(&mut end).iter().map(|s| s.0).collect();
    assert_eq!(times, [0, 4, 8]);
}

#[test]
fn reports_are_the_only_feedback() {
    let mut end = Rtp::new(config(None));
    for (number, ms) in [(0, 1), (3, 2), (2, 3)] {
        let it = Opaque {
            size: 1040,
            len: 1000,
            number,
            ..Opaque::default()
        };
        end.on_datagram(at(ms), &Datagram::Opaque(it));
        assert_eq!(end.poll_transmit(at(ms)), None);
    }
    let s = *end.stats();
    assert_eq!((s.data_segs_in, s.lost_segs, s.out_of_order_in), (3, 1, 1));
    assert_eq!(end.next_timeout(), Some(at(5001)));
    let report = end.poll_transmit(at(5001)).unwrap();
    assert_eq!((report.ip_len(), report.is_pure_feedback()), (88, true));
    assert_eq!(end.next_timeout(), Some(at(10_001)));
    let numbers: Vec<_> = core::iter::from_fn(|| end.next_datagram()).collect();
    assert_eq!(numbers, [0, 3, 2]);
}

proptest! {
    /// Bytes written = bytes in packets, however the frames are cut.
    #[test]
    fn frames_are_cut_without_loss(frames in proptest::collection::vec(1u64..20_000, 1..20), spread in 0u64..50) {
        let spread = (spread > 0).then(|| Span::from_millis(spread));
        let mut end = opened(config(spread));
        for bytes in &frames {
            end.write(*bytes);
        }
        end.close(at(0));
        let sent: u64 = drain(&mut end).iter().map(|s| u64::from(s.1.len)).sum();
        prop_assert_eq!(sent, frames.iter().sum::<u64>());
        prop_assert_eq!(end.poll_event(), Some(Event::Closed));
    }
}
