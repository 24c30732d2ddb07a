//! ADDBA frames: management frames of subtype Action (9.3.3.14, 9.6.4).

use crate::wifi::mac::sizes::{FCS, MANAGEMENT_HEADER};

/// Bytes of an ADDBA Request on the air: header, category, action, dialog token, parameter set, timeout,
/// starting sequence control (9.6.4.2), FCS. A response is as long: it has a status code, and no sequence
/// number (9.6.4.3).
pub const ACTION: u32 = MANAGEMENT_HEADER + 9 + FCS;

/// The kind of an ADDBA frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The originator asks for an agreement.
    Request,
    /// The recipient agrees.
    Response,
}

/// An ADDBA frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Action {
    /// Its kind.
    pub kind: Kind,
    /// Sequence number of the frame, by which a repetition is known (10.3.2.14).
    pub seq: u16,
    /// Dialog token: a response has that of its request.
    pub token: u8,
    /// First sequence number of data under the agreement.
    pub start: u16,
    /// It was on the air before.
    pub repeated: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ns-3: `MgtAddBaRequestHeader` and `MgtAddBaResponseHeader` have 7 bytes, `WifiActionHeader` 2.
    #[test]
    fn a_frame_is_the_sum_of_its_fields() {
        let header = 2 + 2 + 6 + 6 + 6 + 2;
        let (request, response) = (1 + 2 + 2 + 2, 1 + 2 + 2 + 2);
        assert_eq!(ACTION, header + 2 + request + 4);
        assert_eq!(ACTION, header + 2 + response + 4);
        assert_eq!(ACTION, 37);
    }
}
