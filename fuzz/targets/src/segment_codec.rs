//! Any bytes are read or refused; what was read is read again after it has been written.

use acklab_proto::codec::{Addresses, EncodeError, decode, encode, tcp_checksum};
use core::net::Ipv4Addr;

const ADDRESSES: Addresses = Addresses {
    source: Ipv4Addr::new(192, 0, 2, 1),
    destination: Ipv4Addr::new(198, 51, 100, 7),
};

/// Puts the right checksum in: a fuzzer would hardly ever find it.
fn seal(bytes: &[u8]) -> Vec<u8> {
    let mut sealed = bytes.to_vec();
    if sealed.len() >= 20 {
        sealed[16..18].fill(0);
        let sum = tcp_checksum(&ADDRESSES, &sealed);
        sealed[16..18].copy_from_slice(&sum.to_be_bytes());
    }
    sealed
}

/// Runs one input.
pub fn run(bytes: &[u8]) {
    let _ = decode(bytes, &ADDRESSES);
    let sealed = seal(bytes);
    let Ok(read) = decode(&sealed, &ADDRESSES) else {
        return;
    };
    let mut out = vec![0; sealed.len() + 40];
    match encode(
        &read.segment,
        read.ports,
        &ADDRESSES,
        read.payload,
        &mut out,
    ) {
        Ok(n) => assert_eq!(decode(&out[..n], &ADDRESSES), Ok(read)),
        // Options packed more tightly than Linux packs them.
        Err(EncodeError::OptionsTooLong { .. } | EncodeError::SegmentTooLong { .. }) => {}
        Err(e) => panic!("{e}"),
    }
}
