//! Live video: a camera or a screen at the source, a player at the destination.

mod clock;
mod frames;
mod packets;
mod player;
mod source;
mod stream;

pub use clock::VideoSummary;
pub use player::Player;
pub use source::Source;

#[cfg(test)]
mod tests {
    use crate::plan::VideoPlan;
    use acklab_units::{Rate, Span};

    /// 50 frames of 20 kB per second in groups of ten; the picture starts with 100 ms of it.
    pub(super) fn plan() -> VideoPlan {
        VideoPlan {
            rate: Rate::from_bps(8_000_000),
            fps: 50,
            gop: 10,
            i_frame: 6.0,
            variation: 0.0,
            start_up: Span::from_millis(100),
            rebuffer: Span::from_millis(60),
            packet: None,
        }
    }
}
