//! ADDBA frames as bytes (IEEE 802.11-2020, 9.6.4.2 and 9.6.4.3).

use super::Channel;
use super::frames::{RETRY, address, start_of, tid};
use acklab_path::wifi::agreement::{Action, Kind};
use acklab_path::wifi::medium::{Ppdu, StationId};

/// First octet of Frame Control: management, subtype Action.
const ACTION: u8 = 0xd0;
/// Category (table 9-51) and values of the Block Ack Action field.
const BLOCK_ACK: u8 = 3;
const REQUEST: u8 = 0;
const RESPONSE: u8 = 1;
/// Block Ack Parameter Set (9.4.1.13): A-MSDUs are permitted, block acks immediate.
const AMSDU: u16 = 1;
const IMMEDIATE: u16 = 1 << 1;
/// Agreements do not end for want of use (9.4.1.14).
const NO_TIMEOUT: [u8; 2] = [0, 0];
const SUCCESS: [u8; 2] = [0, 0];

/// The frame, without FCS.
pub(super) fn frame(channel: &Channel, ppdu: &Ppdu, action: Action, window: u16) -> Vec<u8> {
    let mut bytes = start_of(ACTION, ppdu, true);
    bytes[1] = if action.repeated { RETRY } else { 0 };
    bytes.extend(address(channel.access_point.unwrap_or(StationId(0))));
    bytes.extend(u16::to_le_bytes(action.seq << 4));
    let parameters = AMSDU | IMMEDIATE | u16::from(tid(channel, ppdu)) << 2 | window << 6;
    let parameters = parameters.to_le_bytes();
    match action.kind {
        Kind::Request => {
            bytes.extend([BLOCK_ACK, REQUEST, action.token]);
            bytes.extend(parameters);
            bytes.extend(NO_TIMEOUT);
            bytes.extend(u16::to_le_bytes(action.start << 4));
        }
        Kind::Response => {
            bytes.extend([BLOCK_ACK, RESPONSE, action.token]);
            bytes.extend(SUCCESS);
            bytes.extend(parameters);
            bytes.extend(NO_TIMEOUT);
        }
    }
    bytes
}
