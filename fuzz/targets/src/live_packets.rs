//! Sealed packets on real networks: any bytes are refused, and what a sealer made opens once.

use acklab_live::protect::{Cipher, Opener, Outer, Refused, Sealer, Secret, Space, TAG};

const HEADER: usize = 1 + 8 + 4;

/// Runs one input: bytes that are a packet, and bytes that say what becomes of good ones.
pub fn run(bytes: &[u8]) {
    let secret = Secret::new([6; 32]);
    let cipher = Cipher::ChaCha20Poly1305;
    let mut opener = Opener::new(cipher, secret.clone());
    let mut any = bytes.to_vec();
    if let Some(outer) = Outer::read(&any) {
        assert!(outer.header + TAG < any.len());
        assert!(opener.open(&outer, &mut any).is_err());
    }
    assert_eq!(opener.updates(), 0);
    let mut sealer = Sealer::new(cipher, secret).with_limit(8);
    let mut number = 0u64;
    for (count, fate) in bytes.iter().enumerate() {
        number += u64::from(fate >> 6) + 1;
        let mut packet = vec![0x23];
        packet.extend([1; 8]);
        packet.extend((number as u32).to_be_bytes());
        packet.extend([*fate; 20]);
        packet.extend([0; TAG]);
        sealer.seal(Space::Data, number, HEADER, &mut packet);
        let copy = packet.clone();
        // One of each key arrives, or the other end could not follow.
        let changed = fate & 0x3f == 1 && count % 8 != 0;
        if changed {
            packet[HEADER + 3] ^= 0x10;
        }
        let Some(outer) = Outer::read(&packet) else {
            panic!("a sealed packet is read");
        };
        let opened = opener.open(&outer, &mut packet);
        if changed {
            assert_eq!(opened, Err(Refused::Forged));
            continue;
        }
        assert_eq!(opened, Ok(number));
        assert_eq!(packet[HEADER..HEADER + 20], [*fate; 20]);
        let mut again = copy;
        assert_eq!(opener.open(&outer, &mut again), Err(Refused::Replayed));
    }
}
