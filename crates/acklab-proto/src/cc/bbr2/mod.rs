//! BBR version 2: Google's v2alpha kernel (google/bbr, branch v2alpha, `net/ipv4/tcp_bbr2.c`).
//!
//! Version 2 introduced the two-bound model that version 3 refines, so both run on the machine of
//! [`bbr3`](super::bbr3). The differences of version 2:
//!
//! | | version 2 | version 3 |
//! |---|---|---|
//! | STARTUP gains, pacing and window | 2.89, 2.89 | 2.77, 2 |
//! | plateau detector | maximum bandwidth, STARTUP only | samples, also in PROBE_BW_UP |
//! | loss events that end STARTUP | 8 | 6 |
//! | `inflight_hi` after such an end | BDP | at least what was delivered last |
//! | PROBE_BW_DOWN pacing gain | 0.75 | 0.9 |
//! | PROBE_BW_UP window gain | 2 | 2.25 |
//! | PROBE_BW_UP ends | 1.25 BDP in flight and a `min_rtt` | plateau |
//! | credit towards a higher `inflight_hi` | lapses when not window-limited | is kept |
//! | ECN | off unless asked for; half the data marked is too much | on; more than half is |
//! | probe at once after marks without loss | off | on |
//! | an RTT equal to the minimum | postpones PROBE_RTT | does not |

mod params;
#[cfg(test)]
mod tests;

pub use params::{ENTRY, PARAMS};

use super::bbr::Ratio;
use super::bbr3::{FullPipeRule, LossEvent, Profile, UpExit};

/// 2/ln 2 in 256ths, rounded up: pacing and window gain of STARTUP (`bbr_high_gain`,
/// `bbr_startup_cwnd_gain`).
pub const HIGH_GAIN: Ratio = Ratio::per_256(256 * 2885 / 1000 + 1);
/// The inverse of [`HIGH_GAIN`] (`bbr_drain_gain`).
pub const DRAIN_GAIN: Ratio = Ratio::per_256(256 * 1000 / 2885);
/// Pacing gain of PROBE_BW_DOWN (`bbr_pacing_gain[BBR_BW_PROBE_DOWN]`).
pub const PROBE_DOWN_GAIN: Ratio = Ratio::new(3, 4);
/// Window gain of every phase of PROBE_BW (`bbr_cwnd_gain`).
pub const CWND_GAIN: Ratio = Ratio::new(2, 1);
/// Multiple of the BDP in flight that ends PROBE_BW_UP (`bbr_bw_probe_pif_gain`).
pub const BW_PROBE_PIF_GAIN: Ratio = Ratio::new(5, 4);
/// Loss events in one round that end STARTUP (`bbr_full_loss_cnt`).
pub const FULL_LOSS_CNT: u32 = 8;
/// No quick probe after marks (`bbr_ecn_reprobe_gain`, an experimental knob at zero).
pub const ECN_REPROBE_GAIN: Ratio = Ratio::new(0, 1);

/// Version 2 as a profile of the machine.
pub const fn profile() -> Profile {
    Profile {
        startup_pacing_gain: HIGH_GAIN,
        startup_cwnd_gain: HIGH_GAIN,
        drain_pacing_gain: DRAIN_GAIN,
        cwnd_gain: CWND_GAIN,
        probe_down_pacing_gain: PROBE_DOWN_GAIN,
        probe_up_cwnd_gain: CWND_GAIN,
        up_exit: UpExit::Queue(BW_PROBE_PIF_GAIN),
        up_credit_lapses: true,
        full_pipe: FullPipeRule::MaxBwPerRound,
        full_loss_cnt: FULL_LOSS_CNT,
        loss_event: LossEvent::Ack,
        startup_keeps_latest: false,
        ecn: false,
        ecn_thresh_inclusive: true,
        ecn_reprobe_gain: ECN_REPROBE_GAIN,
        equal_rtt_postpones: true,
        single_packet_bursts: true,
        ..Profile::google_v3()
    }
}
