//! Timelines of the sending half alone: what ns-3 does that others do not.

mod recovery;
mod sending;

use super::*;
use crate::cc::CcInit;
use crate::cc::newreno::ns3::{ByteWindow, Flavour, Ns3Reno};
use crate::cc::ns3::{Callbacks, Facts};
use crate::cc::{Ack, Loss, Rto};
use crate::stats::Stats;
use crate::tcp::config::Profile;
use crate::tcp::sender::AckInfo;
use std::sync::{Arc, Mutex};
use std::vec::Vec;

const MSS: u64 = 1000;
const RTT: Span = Span::from_millis(50);

fn init() -> CcInit {
    CcInit {
        mss: MSS as u32,
        initial_cwnd: 10 * MSS,
        seed: 0,
        kernel_units: false,
    }
}

/// Notes the calls; the window is fixed, the threshold half of it.
#[derive(Debug)]
struct Noting {
    window: ByteWindow,
    calls: Arc<Mutex<Vec<&'static str>>>,
}

impl Noting {
    fn note(&self, call: &'static str) {
        self.calls.lock().unwrap().push(call);
    }
}

impl CongestionControl for Noting {
    fn on_ack(&mut self, _: &Ack) {
        self.note("on_ack");
    }
    fn on_loss(&mut self, _: &Loss) {}
    fn on_rto(&mut self, _: &Rto) {}
    fn cwnd(&self) -> u64 {
        self.window.cwnd
    }
    fn ssthresh(&self) -> u64 {
        self.window.ssthresh
    }
    fn callbacks(&mut self) -> Option<&mut dyn Callbacks> {
        Some(self)
    }
    fn state(&self) -> &'static str {
        "noting"
    }
}

impl Callbacks for Noting {
    fn window(&mut self) -> &mut ByteWindow {
        &mut self.window
    }
    fn pkts_acked(&mut self, _: &Facts) {
        self.note("pkts_acked");
    }
    fn increase_window(&mut self, _: &Facts, _: u32) {
        self.note("increase_window");
    }
    fn state_set(&mut self, _: &Facts, to: RecoveryPhase) {
        self.note(match to {
            RecoveryPhase::Open => "open",
            RecoveryPhase::Disorder => "disorder",
            RecoveryPhase::Recovery => "recovery",
            RecoveryPhase::Loss => "loss",
            RecoveryPhase::Cwr => "cwr",
        });
    }
    fn ss_thresh(&mut self, _: &Facts) -> u64 {
        self.note("ss_thresh");
        self.window.cwnd / 2
    }
    fn complete_cwr(&mut self, _: &Facts) {
        self.note("complete_cwr");
    }
}

struct Bench {
    s: Sender,
    cfg: TcpConfig,
    stats: Stats,
    now: Instant,
    window: u64,
    ece: bool,
}

impl Bench {
    /// A connection just opened, with `cfg` changed by `change`.
    fn with(cc: Box<dyn CongestionControl>, change: impl FnOnce(&mut TcpConfig)) -> Self {
        let mut cfg = TcpConfig::new(Profile::Ns3);
        cfg.segment = MSS as u32;
        change(&mut cfg);
        let mut b = Self {
            s: Sender::new(&cfg, cc),
            cfg,
            stats: Stats::default(),
            now: Instant::ZERO + Span::from_secs(1),
            window: 1 << 20,
            ece: false,
        };
        assert!(b.poll().is_some_and(|o| o.syn));
        let (sack, ecn) = (b.cfg.sack, b.cfg.ecn == crate::tcp::config::EcnMode::On);
        b.s.negotiate(MSS as u32, sack, false, ecn);
        b.now += RTT;
        b.ack_bytes(1, &[]);
        b
    }

    fn reno() -> Self {
        Self::with(Box::new(Ns3Reno::new(init(), Flavour::NewReno)), |_| {})
    }

    fn noting() -> (Self, Arc<Mutex<Vec<&'static str>>>) {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let cc = Noting {
            window: ByteWindow::new(init()),
            calls: calls.clone(),
        };
        (Self::with(Box::new(cc), |_| {}), calls)
    }

    fn poll(&mut self) -> Option<Outgoing> {
        self.s.poll_transmit(self.now, &self.cfg, &mut self.stats)
    }

    /// The transmissions now, in segments from 0. Waits for the step after a write.
    fn sent(&mut self) -> Vec<u64> {
        self.sent_bytes().iter().map(|o| (o.0 - 1) / MSS).collect()
    }

    fn sent_bytes(&mut self) -> Vec<(u64, u32)> {
        let mut out = Vec::new();
        for _ in 0..2 {
            while let Some(o) = self.poll() {
                out.push((o.start, o.len));
            }
            if self.s.step.is_none() {
                break;
            }
            self.now += Span::from_nanos(1);
        }
        out
    }

    fn write(&mut self, segments: u64) -> Vec<u64> {
        self.s.write(segments * MSS);
        self.sent()
    }

    /// Acknowledges `n` segments and reports `blocks` of segments.
    fn ack(&mut self, n: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        let at = |n| 1 + n * MSS;
        let blocks: Vec<_> = blocks.iter().map(|b| (at(b.0), at(b.1))).collect();
        self.ack_bytes(at(n), &blocks);
        self.sent()
    }

    fn ack_bytes(&mut self, ack: u64, blocks: &[(u64, u64)]) {
        let info = AckInfo {
            seq: 1,
            ack,
            window: self.window,
            blocks,
            tsecr: None,
            ece: self.ece,
            carries_data: false,
        };
        self.s.on_ack(self.now, &info, &mut self.stats);
    }

    /// Lets time pass to the next timer and sends what it releases.
    fn timeout(&mut self) -> Vec<u64> {
        self.now = self.s.next_timeout().unwrap();
        self.s.on_timeout(self.now, &self.cfg, &mut self.stats);
        self.sent()
    }
}
