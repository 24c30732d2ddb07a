//! How large a window the buffer allows.

use super::autotune::Autotune;
use crate::tcp::config::TcpConfig;
use crate::tcp::dialect::ReceiveBuffer;

/// Largest value of the window field.
pub const FIELD_MAX: u64 = 65_535;
/// Largest window scale shift (RFC 7323 section 2.3).
const SHIFT_MAX: u8 = 14;

/// The content of the receive buffer at a moment, in bytes of payload.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    /// The offset expected next.
    pub next: u64,
    /// In order and not read yet.
    pub unread: u64,
    /// Waiting above a gap.
    pub held: u64,
    /// Estimate of the peer's full segment.
    pub rcv_mss: u64,
}

/// Where the size comes from.
#[derive(Clone, Copy, Debug)]
pub enum Sizing {
    /// A fixed buffer of payload bytes. Out-of-order data takes no room of its own: it lies below
    /// the right edge that was promised (RFC 9293, and ns-3's `TcpRxBuffer`).
    Fixed {
        buffer: u64,
        /// The right edge moves in steps of a segment or half the buffer (RFC 9293 section
        /// 3.8.6.2.2).
        stepped: bool,
    },
    /// Linux: an autotuned buffer in which out-of-order data takes room.
    Autotuned(Autotune),
}

/// `bytes` rounded up to the unit of the window field.
pub const fn align_up(bytes: u64, shift: u8) -> u64 {
    bytes.saturating_add((1 << shift) - 1) >> shift << shift
}

impl Sizing {
    /// The receive buffer of the stack of `cfg`.
    pub fn new(cfg: &TcpConfig) -> Self {
        let max = cfg.recv_buffer.max.max(cfg.recv_buffer.initial);
        match cfg.dialect().receive_buffer {
            ReceiveBuffer::Autotuned => {
                let tune = Autotune::new(cfg.recv_buffer, cfg.segment);
                let tune = tune.with_cushion(cfg.recv_cushion);
                let tune = tune.with_blocks(cfg.recv_block, cfg.payload_per_packet());
                Self::Autotuned(tune.with_share(cfg.recv_share))
            }
            ReceiveBuffer::Fixed { stepped } => Self::Fixed {
                buffer: max,
                stepped,
            },
        }
    }

    /// The smallest shift with which the field can express the largest buffer. Linux and ns-3
    /// agree on this, except that Linux takes one less when the buffer is below a power of two.
    pub fn shift(&self) -> u8 {
        let shift = match self {
            Self::Fixed { buffer, .. } => (0..SHIFT_MAX).find(|s| buffer >> s <= FIELD_MAX),
            Self::Autotuned(t) => Some((t.max_buffer().max(1).ilog2() as u8).saturating_sub(15)),
        };
        shift.unwrap_or(SHIFT_MAX).min(SHIFT_MAX)
    }

    /// Linux rounds to whole segments, which makes the well-known 64240.
    pub fn syn_window(&self, mss: u64) -> u64 {
        match self {
            Self::Fixed { buffer, .. } => (*buffer).min(FIELD_MAX),
            Self::Autotuned(t) if t.full_space() > mss => {
                (t.full_space() / mss * mss).min(FIELD_MAX)
            }
            Self::Autotuned(t) => t.full_space(),
        }
    }

    /// The window that the buffer allows to advertise, given that `remaining` is promised already.
    pub fn select(&self, occupancy: Occupancy, remaining: u64, shift: u8) -> u64 {
        match self {
            Self::Fixed { buffer, stepped } => {
                let free = buffer.saturating_sub(occupancy.unread);
                let step = (buffer / 2).min(occupancy.rcv_mss);
                if *stepped && free < remaining + step {
                    remaining
                } else {
                    free
                }
            }
            Self::Autotuned(tune) => select_autotuned(tune, occupancy, shift),
        }
    }
}

/// Linux `__tcp_select_window`: nothing if little is free, else the free space up to the limit.
fn select_autotuned(tune: &Autotune, occupancy: Occupancy, shift: u8) -> u64 {
    let space = tune.full_space();
    let full = tune.clamp().min(space);
    let mss = occupancy.rcv_mss.min(full);
    let mut free = space.saturating_sub(occupancy.unread + occupancy.held);
    if free < full / 2 {
        free = free >> shift << shift;
        if free < space / 16 || free < mss {
            return 0;
        }
    }
    align_up(free.min(tune.ssthresh()), shift)
}
