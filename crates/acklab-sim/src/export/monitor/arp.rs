//! ARP packets as bytes (RFC 826), and the addresses around them (IEEE 802.11-2020, table 9-30).

use super::frames::address;
use acklab_path::wifi::medium::{Ppdu, StationId};
use acklab_path::wifi::neighbour::Kind;

/// Everybody.
pub(super) const EVERYBODY: [u8; 6] = [0xff; 6];
/// LLC and SNAP, and the EtherType of ARP.
const LLC_SNAP: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x06];
/// Ethernet and IPv4, with addresses of 6 and 4 bytes.
const SPACES: [u8; 6] = [0, 1, 0x08, 0, 6, 4];

/// The station that a message is about: the end of `ppdu` that is not the access point.
fn station(ppdu: &Ppdu) -> StationId {
    if ppdu.from == StationId(0) {
        ppdu.to
    } else {
        ppdu.from
    }
}

/// The third address of the frame: who the frame comes from if the access point sends it, otherwise who it goes to.
pub(super) fn third(kind: Kind, ppdu: &Ppdu) -> [u8; 6] {
    match kind {
        Kind::Request => EVERYBODY,
        Kind::Relayed => address(station(ppdu)),
        Kind::Wanted | Kind::Reply | Kind::Report => address(StationId(0)),
    }
}

/// LLC, SNAP and the packet.
pub(super) fn body(kind: Kind, ppdu: &Ppdu) -> Vec<u8> {
    let (ap, station) = (StationId(0), station(ppdu));
    let (from, to) = match kind {
        Kind::Request | Kind::Relayed | Kind::Report => (station, ap),
        Kind::Wanted | Kind::Reply => (ap, station),
    };
    let code: u16 = if kind.asks() { 1 } else { 2 };
    let mut bytes = LLC_SNAP.to_vec();
    bytes.extend(SPACES);
    bytes.extend(code.to_be_bytes());
    bytes.extend(address(from));
    bytes.extend(ip(from));
    // The address in question is not known yet.
    bytes.extend(if kind.asks() { [0; 6] } else { address(to) });
    bytes.extend(ip(to));
    bytes
}

/// 10.1.0.1 is the access point, and the stations follow.
fn ip(station: StationId) -> [u8; 4] {
    let [high, low] = (station.0 + 1).to_be_bytes();
    [10, 1, high, low]
}
