//! Sealing and opening against each other, over a path that loses, repeats and reorders.

use super::*;
use proptest::prelude::*;

const HEADER: usize = 1 + ID_LEN + 4;

fn pair(limit: u64) -> (Sealer, Opener) {
    let secret = Secret::new([3; 32]);
    let cipher = Cipher::preferred();
    let sealer = Sealer::new(cipher, secret.clone()).with_limit(limit);
    (sealer, Opener::new(cipher, secret))
}

fn packet(sealer: &mut Sealer, space: Space, number: u64) -> Vec<u8> {
    let mut bytes = vec![match space {
        Space::Feedback => TACK_KIND << 5 | SPACE_BIT | 3,
        _ => TACK_KIND << 5 | 3,
    }];
    bytes.extend([9; ID_LEN]);
    bytes.extend((number as u32).to_be_bytes());
    bytes.extend(number.to_be_bytes());
    bytes.extend([0; TAG]);
    sealer.seal(space, number, HEADER, &mut bytes);
    bytes
}

fn open(opener: &mut Opener, mut bytes: Vec<u8>) -> Result<u64, Refused> {
    let outer = Outer::read(&bytes).expect("a packet");
    let number = opener.open(&outer, &mut bytes)?;
    assert_eq!(bytes[HEADER..HEADER + 8], number.to_be_bytes());
    assert_eq!(bytes[0] & PHASE_BIT, 0);
    Ok(number)
}

#[test]
fn a_packet_opens_once() {
    let (mut s, mut o) = pair(100);
    let first = packet(&mut s, Space::Data, 1);
    assert_eq!(open(&mut o, first.clone()), Ok(1));
    assert_eq!(open(&mut o, first), Err(Refused::Replayed));
    let feedback = packet(&mut s, Space::Feedback, 1);
    assert_eq!(open(&mut o, feedback), Ok(1));
}

/// TACK's first number is random, and two bytes of it are on the wire.
#[test]
fn numbers_are_whole_again_from_the_first_packet_on() {
    let (mut s, mut o) = pair(100);
    let first = 1_234_567_890;
    o.expect(Space::Data, first);
    for number in first..first + 10 {
        let mut bytes = vec![TACK_KIND << 5 | 1];
        bytes.extend([9; ID_LEN]);
        bytes.extend((number as u16).to_be_bytes());
        bytes.extend([1; 8]);
        bytes.extend([0; TAG]);
        s.seal(Space::Data, number, 1 + ID_LEN + 2, &mut bytes);
        let outer = Outer::read(&bytes).unwrap();
        assert_eq!(o.open(&outer, &mut bytes), Ok(number));
    }
}

#[test]
fn every_changed_bit_is_noticed() {
    let (mut s, mut o) = pair(100);
    let good = packet(&mut s, Space::Data, 77);
    for bit in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        let Some(outer) = Outer::read(&bad) else {
            continue;
        };
        assert!(o.open(&outer, &mut bad).is_err(), "bit {bit}");
    }
    assert_eq!(o.updates(), 0, "a flipped phase bit moves nothing");
    assert_eq!(open(&mut o, good), Ok(77));
}

#[test]
fn keys_change_and_late_packets_of_the_old_one_still_open() {
    let (mut s, mut o) = pair(10);
    let late = packet(&mut s, Space::Data, 0);
    for n in 1..10 {
        let p = packet(&mut s, Space::Data, n);
        assert_eq!(open(&mut o, p), Ok(n));
    }
    let p = packet(&mut s, Space::Data, 10);
    assert_eq!(open(&mut o, p), Ok(10));
    assert_eq!((s.updates(), o.updates()), (1, 1));
    assert_eq!(open(&mut o, late), Ok(0));
    for n in 11..200 {
        let p = packet(&mut s, Space::Data, n);
        assert_eq!(open(&mut o, p), Ok(n));
    }
    assert_eq!((s.updates(), o.updates()), (19, 19));
}

#[test]
fn too_many_forgeries_wear_the_key_out() {
    let (mut s, o) = pair(10);
    let mut o = o.with_most_forged(3);
    let mut refuse = |n| {
        let mut p = packet(&mut s, Space::Data, n);
        p[HEADER] ^= 1;
        open(&mut o, p)
    };
    assert_eq!(refuse(1), Err(Refused::Forged));
    assert_eq!(refuse(2), Err(Refused::Forged));
    assert_eq!(refuse(3), Err(Refused::WornOut));
}

proptest! {
    /// With keys that change every 64 packets, everything that arrives opens once, whatever is lost,
    /// repeated or late by up to half a phase.
    #[test]
    fn what_arrives_opens_once(
        fates in prop::collection::vec((0u8..10, 0usize..24), 300..600),
    ) {
        let (mut s, mut o) = pair(64);
        let mut line: Vec<(usize, u64, bool, Vec<u8>)> = Vec::new();
        let mut numbers = [0u64; 2];
        for (at, (fate, late)) in fates.iter().enumerate() {
            let feedback = at % 3 == 0;
            let space = if feedback { Space::Feedback } else { Space::Data };
            let n = numbers[usize::from(feedback)];
            numbers[usize::from(feedback)] += 1;
            let p = packet(&mut s, space, n);
            if *fate == 0 {
                continue;
            }
            if *fate == 1 {
                line.push((at + late + 1, n, true, p.clone()));
            }
            let arrives = if *fate < 5 { at + late } else { at };
            line.push((arrives, n, false, p));
        }
        line.sort_by_key(|l| l.0);
        let mut opened = std::collections::HashSet::new();
        for (_, n, _, p) in line {
            let space = p[0] & SPACE_BIT;
            let fresh = opened.insert((space, n));
            let expected = if fresh { Ok(n) } else { Err(Refused::Replayed) };
            prop_assert_eq!(open(&mut o, p), expected);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let (_, mut o) = pair(64);
        if let Some(outer) = Outer::read(&bytes) {
            prop_assert!(o.open(&outer, &mut bytes).is_err());
        }
    }
}
