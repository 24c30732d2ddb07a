//! Plans for tests and benches: stations that send to a server through one access point.

use super::dumbbell::{connect, no_choice};
use crate::plan::{AppPlan, FlowPlan, MediumPlan, Plan, RecordPlan, TcpPlan, TransportPlan};
use acklab_path::wifi::contention::SlotRule;
use acklab_path::wifi::mac;
use acklab_path::wifi::medium::{
    AccessCategory, AfterSilence, Aggregation, EdcaConfig, MediumConfig, PortConfig, RateConfig,
    StationConfig, StationId,
};
use acklab_path::wifi::phy::{Band, ErrorModel, Guard, Mode, ModeError, Phy, PhyConfig, Width};
use acklab_proto::datagram::Dscp;
use acklab_proto::tcp::TcpConfig;
use acklab_units::{Instant, Rate, Span};
use std::sync::Arc;

/// Each station has a bulk flow to the server, or from it.
#[derive(Clone, Copy, Debug)]
pub struct Wlan {
    /// Number of stations.
    pub stations: u16,
    /// Whether the data go to the stations.
    pub down: bool,
    /// The aggregation.
    pub aggregation: Aggregation,
    /// Packets in the queue of each station, the access point included.
    pub queue: u32,
    /// Delay between access point and server, one way.
    pub delay: Span,
    /// Length of the run.
    pub length: Span,
}

impl Default for Wlan {
    /// One station with A-MPDUs of up to 65,535 bytes, for a minute.
    fn default() -> Self {
        Self {
            stations: 1,
            down: false,
            aggregation: Aggregation {
                ampdu: 65_535,
                ..Aggregation::NONE
            },
            queue: 500,
            delay: Span::from_millis(2),
            length: Span::from_secs(60),
        }
    }
}

/// Numbers of nodes.
const SERVER: usize = 0;
const AP: usize = 1;

impl Wlan {
    /// The plan, at 802.11n MCS 7 over 20 MHz in the 5 GHz band; transports are up to whoever runs it.
    ///
    /// # Errors
    /// None, as that mode exists.
    pub fn plan(&self) -> Result<Plan, ModeError> {
        let mut plan = Plan {
            name: "wlan".into(),
            nodes: vec!["server".into(), "ap".into()],
            links: Vec::new(),
            media: Vec::new(),
            flows: Vec::new(),
            stop: Instant::ZERO + self.length,
            measure_from: Instant::ZERO,
            record: RecordPlan::default(),
            warmup: Instant::ZERO + self.length.mul_div(1, 2),
        };
        let wire = Rate::from_bps(1_000_000_000);
        connect(&mut plan, (AP, SERVER), wire, self.delay, 1000);
        let mut air = MediumPlan {
            name: "wlan".into(),
            nodes: vec![AP],
            links: Vec::new(),
            categories: vec![0; 2 * usize::from(self.stations)],
            access: vec![AccessCategory::BestEffort],
            disciplines: Vec::new(),
            config: self.medium()?,
        };
        for i in 1..=self.stations {
            plan.nodes.push(format!("sta{i}"));
            let node = plan.nodes.len() - 1;
            let first = connect(&mut plan, (node, AP), Rate::MAX, Span::ZERO, 0);
            air.nodes.push(node);
            air.links.extend([first, first + 1]);
            self.add_flow(&mut plan, node, first);
        }
        plan.media.push(air);
        Ok(plan)
    }

    fn medium(&self) -> Result<MediumConfig, ModeError> {
        let mode = Mode::ht(7, Width::Mhz20, Guard::Ns800)?;
        let station = StationConfig {
            categories: vec![EdcaConfig::standard(AccessCategory::BestEffort)],
            queue: mac::Config {
                kind: mac::Kind::Shared {
                    limit: self.queue,
                    counts: mac::Counts::default(),
                },
                ..mac::Config::NS3
            },
        };
        let port = |from, to| PortConfig {
            from,
            to,
            rate: RateConfig::Fixed(mode),
            aggregation: self.aggregation,
            rts_from: None,
            grants_reverse: false,
            errors: ErrorModel::None,
            carries_acks: None,
        };
        let (ap, all) = (StationId(0), (1..=self.stations).map(StationId));
        Ok(MediumConfig {
            phy: Phy::new(&PhyConfig::new(Band::Ghz5))?,
            slots: SlotRule::Edca,
            stations: vec![station; usize::from(self.stations) + 1],
            ports: all.flat_map(|s| [port(s, ap), port(ap, s)]).collect(),
            hears: None,
            radio: None,
            eifs: true,
            after_silence: AfterSilence::Quiet,
            propagation: Span::ZERO,
            retry_limit: 7,
            arp: None,
            addba: None,
            ofdma: None,
        })
    }

    fn add_flow(&self, plan: &mut Plan, node: usize, first: usize) {
        let (up, down) = (vec![first, 0], vec![1, first + 1]);
        let (src, dst, forward, reverse) = if self.down {
            (SERVER, node, down, up)
        } else {
            (node, SERVER, up, down)
        };
        let (cc, ack) = no_choice();
        plan.flows.push(FlowPlan {
            name: format!("flow{}", plan.flows.len()),
            src,
            dst,
            forward,
            reverse,
            start: Instant::ZERO,
            start_jitter: Span::from_millis(100),
            dscp: Dscp::DEFAULT,
            app: AppPlan::Bulk {
                bytes: None,
                until: None,
            },
            transport: TransportPlan::Tcp(TcpPlan {
                config: Arc::new(TcpConfig::default()),
                cc,
                ack,
            }),
        });
    }
}
