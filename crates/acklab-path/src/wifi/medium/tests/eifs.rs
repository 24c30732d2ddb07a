//! Stations that wait for an EIFS after unreadable PPDUs (10.3.2.3.7), and others that do not.

use super::*;

/// Stations 1 and 2 do not hear each other; the access point and station 3 hear everybody.
fn hidden(n: u16) -> MediumConfig {
    let mut config = cell(n, Aggregation::NONE);
    let hears = |a: u16, b: u16| a == b || a.min(b) != 1 || a.max(b) != 2;
    let row = |a| (0..=n).map(|b| hears(a, b)).collect();
    config.hears = Some((0..=n).map(row).collect());
    config
}

/// Station 1 and the access point begin at 43 us, for each other, so that neither reads anything: from
/// station 1 224 us, to it 20 bytes. The one that is over first hears energy up to 267 us, and begins an
/// AIFS of 43 us and some slots after it: an EIFS is 60 us longer, which is no number of slots.
#[test]
fn who_sends_has_heard_no_preamble() {
    let mut firsts = 0;
    for seed in 0..40 {
        let mut rig = Rig::new(hidden(2), seed);
        rig.offer(0, 1460);
        rig.offer(1, 20);
        rig.run(us(1000));
        let [long, short, next] = [0, 1, 2].map(|i| {
            let mut all = rig.log.ppdus.clone();
            all.sort_by_key(|p| (p.start, p.from));
            all[if i < 2 { 1 - i } else { 2 }]
        });
        assert_eq!(
            (long.start, long.end, short.start),
            (us(43), us(267), us(43))
        );
        assert!(short.end < us(120) && short.garbled && long.garbled);
        if next.from == AP {
            firsts += 1;
            let gap = (next.start - long.end).as_micros();
            assert!(gap >= 43 && (gap - 43).is_multiple_of(9), "{gap}");
        }
    }
    assert!(firsts > 5, "{firsts}");
}

/// The same two, and a third that heard both and could read neither.
#[test]
fn who_only_listened_waits_longer() {
    let mut firsts = 0;
    for seed in 0..60 {
        let mut rig = Rig::new(hidden(3), seed);
        rig.offer(0, 1460);
        rig.offer(1, 20);
        rig.run(us(100));
        rig.offer(4, 1460);
        rig.run(us(1000));
        let next = rig.log.ppdus.iter().find(|p| p.start > us(43)).unwrap();
        if next.from == StationId(3) {
            firsts += 1;
            let gap = (next.start - us(267)).as_micros();
            assert!(gap >= 103 && (gap - 103).is_multiple_of(9), "{gap}");
        }
    }
    assert!(firsts > 3, "{firsts}");
}
