//! CUBIC as Linux has it: when the cubic function, slow start and HyStart apply.
//!
//! Source: `net/ipv4/tcp_cubic.c` (the same from 6.12 to 6.18).

use super::super::newreno::window::Window;
use super::super::{Ack, CcInit, CongestionControl, IdleRestart, Loss, Rto, Sent, Spurious};
use super::bictcp::{Bic, Fixed, HZ, jiffies};
use super::hystart::{Arrival, HyStart};
use super::hystartpp::HyStartPp;
use super::{Settings, SlowStartExit};

/// How slow start may end before a loss.
#[derive(Clone, Debug)]
enum Exit {
    Linux(HyStart),
    PlusPlus(HyStartPp),
    Off,
}

/// Linux's `bictcp`.
#[derive(Clone, Debug)]
pub struct LinuxCubic {
    settings: Fixed,
    window: Window,
    exit: Exit,
    bic: Bic,
    /// `lsndtime` (jiffies).
    last_sent: u64,
}

impl LinuxCubic {
    /// The controller of a new connection.
    pub fn new(init: CcInit, settings: &Settings) -> Self {
        Self {
            settings: Fixed::new(settings),
            window: Window::new(init),
            exit: match settings.hystart {
                SlowStartExit::HyStart => Exit::Linux(HyStart::new(settings.paced)),
                SlowStartExit::PlusPlus => Exit::PlusPlus(HyStartPp::new(settings.paced)),
                SlowStartExit::Off => Exit::Off,
            },
            bic: Bic::default(),
            last_sent: 0,
        }
    }

    /// `cubictcp_acked`: the smallest delay, and HyStart. Samples of the first second of an epoch
    /// are ignored.
    fn pkts_acked(&mut self, ack: &Ack) {
        let Some(rtt) = ack.cc_rtt else { return };
        let fresh = |start| jiffies(ack.now).saturating_sub(start) < HZ;
        if self.bic.epoch_start.is_some_and(fresh) {
            return;
        }
        let delay_us = rtt.as_micros().max(1);
        if self.bic.delay_min_us == 0 || self.bic.delay_min_us > delay_us {
            self.bic.delay_min_us = delay_us;
        }
        // `snd_cwnd` is PRR's during a reduction: a recovery that drops below its target is slow
        // start to HyStart, which may find a new, lower one.
        let arrival = self.arrival(ack, delay_us);
        if let Exit::Linux(hystart) = &mut self.exit
            && hystart.found().is_none()
            && arrival.cwnd < self.window.snd_ssthresh
            && hystart.update(&arrival)
        {
            self.window.snd_ssthresh = arrival.cwnd;
            self.window.snd_cwnd = self.window.snd_cwnd.min(arrival.cwnd);
        }
    }

    fn arrival(&self, ack: &Ack, delay_us: u64) -> Arrival {
        Arrival {
            now_us: ack.now.as_nanos() / 1_000,
            delay_us,
            samples: ack.cc_rtt_samples,
            delay_min_us: self.bic.delay_min_us,
            cwnd: (ack.cwnd / u64::from(self.window.mss())) as u32,
            snd_una: ack.snd_una,
            snd_nxt: ack.snd_nxt,
            pacing_rate: self.pacing_rate(ack),
        }
    }

    /// `tcp_update_pacing_rate` in bytes a second: twice window over RTT in the first half of slow
    /// start, 1.2 times afterwards. HyStart reads it also where nothing is paced by it.
    fn pacing_rate(&self, ack: &Ack) -> u64 {
        let percent = if self.window.snd_cwnd < self.window.snd_ssthresh / 2 {
            200
        } else {
            120
        };
        match ack.srtt.as_micros() {
            0 => 0,
            us => self.window.cwnd_bytes() * (1_000_000 / 100) * percent / us,
        }
    }

    /// `cubictcp_cong_avoid`.
    fn cong_avoid(&mut self, ack: &Ack) {
        let mut acked = ack.newly_delivered_segments;
        if self.window.in_slow_start() {
            acked = self.slow_start(acked);
            if acked == 0 {
                return;
            }
        }
        let cwnd = self.window.snd_cwnd;
        self.bic
            .update(&self.settings, cwnd, acked, jiffies(ack.now));
        self.window.cong_avoid_ai(self.bic.cnt, acked);
    }

    /// HyStart++ governs the first slow start only (RFC 9406 section 4.2).
    fn slow_start(&mut self, acked: u32) -> u32 {
        match &mut self.exit {
            Exit::PlusPlus(h) if self.window.ssthresh_bytes() == u64::MAX => {
                self.window.slow_start(h.growth(acked))
            }
            _ => self.window.slow_start(acked),
        }
    }

    fn sample_plus_plus(&mut self, ack: &Ack) {
        if let Exit::PlusPlus(h) = &mut self.exit
            && self.window.ssthresh_bytes() == u64::MAX
            && h.sample(ack.cc_rtt, ack.cc_rtt_samples, ack.snd_una, ack.snd_nxt)
        {
            self.window.snd_ssthresh = self.window.snd_cwnd;
        }
    }
}

impl CongestionControl for LinuxCubic {
    /// `sk_pacing_status` of a flow whose transport paces.
    fn on_paced(&mut self) {
        match &mut self.exit {
            Exit::Linux(h) => h.pace(),
            Exit::PlusPlus(h) => h.pace(),
            Exit::Off => {}
        }
    }

    /// `CA_EVENT_TX_START`: idle time does not count as time of the epoch.
    fn on_sent(&mut self, sent: &Sent) {
        let now = jiffies(sent.now);
        if sent.prior_inflight == 0
            && let Some(start) = &mut self.bic.epoch_start
        {
            *start = (*start + (now - self.last_sent)).min(now);
        }
        self.last_sent = now;
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.pkts_acked(ack);
        self.sample_plus_plus(ack);
        if ack.may_grow && ack.cwnd_limited {
            self.cong_avoid(ack);
        }
    }

    fn on_loss(&mut self, _loss: &Loss) {
        let ssthresh = self
            .bic
            .recalc_ssthresh(&self.settings, self.window.snd_cwnd);
        self.window.reduce(ssthresh);
    }

    /// The threshold is taken first, then everything else is forgotten (`bictcp_reset`).
    fn on_rto(&mut self, rto: &Rto) {
        let cwnd = self.window.snd_cwnd;
        let ssthresh = rto
            .first
            .then(|| self.bic.recalc_ssthresh(&self.settings, cwnd));
        self.window.collapse(ssthresh, rto.inflight);
        self.bic = Bic::default();
        if let Exit::Linux(hystart) = &mut self.exit {
            hystart.rearm(rto.now.as_nanos() / 1_000, rto.snd_nxt);
        }
    }

    fn on_spurious(&mut self, _spurious: &Spurious) {
        self.window.undo();
    }

    fn on_idle_restart(&mut self, restart: &IdleRestart) {
        self.window.restart(restart.idle, restart.rto);
    }

    fn cwnd(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }

    fn state(&self) -> &'static str {
        match &self.exit {
            Exit::PlusPlus(h) if self.window.in_slow_start() && h.in_css() => {
                "conservative_slow_start"
            }
            _ => self.window.state(),
        }
    }

    fn trace(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("cnt", f64::from(self.bic.cnt));
        out("last_max_cwnd", f64::from(self.bic.last_max_cwnd));
        out("bic_origin_point", f64::from(self.bic.bic_origin_point));
        out("bic_K", self.bic.bic_k as f64);
        out("tcp_cwnd", f64::from(self.bic.tcp_cwnd));
        out("delay_min", self.bic.delay_min_us as f64);
    }
}

#[cfg(test)]
#[path = "linux_tests.rs"]
mod tests;
