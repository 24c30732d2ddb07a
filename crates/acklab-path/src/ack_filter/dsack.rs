//! Duplicates that a receiver reports.

use acklab_proto::segment::{SackBlock, Segment};

/// Whether the first SACK block is a DSACK (RFC 2883 section 4): below the acknowledgement number,
/// or inside the second block. Said once, so the next acknowledgement does not repeat it.
pub(super) fn reports_duplicate(segment: &Segment) -> bool {
    let blocks = segment.sack.as_slice();
    let Some(first) = blocks.first() else {
        return false;
    };
    let inside = |b: &SackBlock| !first.start.before(b.start) && !b.end.before(first.end);
    first.start.before(segment.ack) || blocks.get(1).is_some_and(inside)
}
