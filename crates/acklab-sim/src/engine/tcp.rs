//! TCP as the engine's transport.

use super::{End, FlowSeeds};
use crate::plan::{FlowPlan, Plan, TcpPlan, TransportPlan};
use acklab_proto::cc::CcInit;
use acklab_proto::tcp::{Connection, Role};

/// Whether all flows of the plan speak TCP.
pub(super) fn is_alone(plan: &Plan) -> bool {
    let speaks_tcp = |t: &TransportPlan| matches!(t, TransportPlan::Tcp(_));
    plan.flows.iter().all(|f| speaks_tcp(&f.transport))
}

/// `end` of a flow of a plan in which TCP [is alone](is_alone).
pub(super) fn end(end: End<'_>) -> Connection {
    match &end.flow.transport {
        TransportPlan::Tcp(plan) => connection(plan, end),
        _ => unreachable!("another transport among flows that are all TCP"),
    }
}

/// The connection that a plan asks for at `end` of a flow with these settings.
pub(super) fn connection(plan: &TcpPlan, end: End<'_>) -> Connection {
    let tcp = &plan.config;
    let cc = plan.cc.build(CcInit {
        mss: tcp.segment,
        initial_cwnd: u64::from(tcp.segment) * u64::from(tcp.initial_window),
        seed: end.seeds.cc,
        kernel_units: plan.config.kernel_units,
    });
    let ack = (plan.ack.entry.build)(&plan.ack.params);
    let role = if end.active {
        Role::Active
    } else {
        Role::Passive
    };
    Connection::new(role, tcp.clone(), cc, ack, tcp.isn.unwrap_or(end.seeds.isn))
}

/// Initial sequence numbers (RFC 9293, section 3.4.1) of each flow's source and destination in a run
/// with `seed`; `None` for another transport than TCP.
pub fn origins(plan: &Plan, seed: u64) -> Vec<Option<[u32; 2]>> {
    let ends = |flow: &FlowPlan| {
        let set = flow.transport.tcp()?.config.isn;
        let drawn = |end| FlowSeeds::new(seed, flow, end).isn;
        Some(["src", "dst"].map(|end| set.unwrap_or_else(|| drawn(end))))
    };
    plan.flows.iter().map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::super::dumbbell::Dumbbell;
    use super::super::run;
    use super::origins;
    use crate::plan::{AppPlan, LossPlan, Plan, TapPlan};
    use crate::record::RunResult;
    use acklab_proto::cc::registry::CONTROLLERS;
    use acklab_proto::tcp::config::{AckChoice, CcChoice};
    use acklab_units::{Instant, Span};
    use core::sync::atomic::AtomicBool;
    use std::sync::Arc;

    fn plan(cc: &str, seconds: u64) -> Plan {
        let mut plan = Dumbbell {
            length: Span::from_secs(seconds),
            ..Dumbbell::default()
        }
        .plan();
        let tcp = plan.flows[0].transport.tcp_mut().unwrap();
        tcp.cc = CcChoice::named(cc).unwrap();
        tcp.ack = AckChoice::named(tcp.config.default_ack_policy()).unwrap();
        plan
    }

    fn result(plan: &Plan) -> RunResult {
        run(plan, 1, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn every_controller_delivers_everything_over_a_bad_line_and_closes() {
        for entry in CONTROLLERS {
            let mut plan = plan(entry.name, 120);
            plan.flows[0].app = AppPlan::Bulk {
                bytes: Some(1_000_000),
                until: None,
            };
            plan.links[0].impair.loss = LossPlan::Bernoulli(0.01);
            plan.links[0].impair.reorder = 0.01;
            plan.links[0].impair.reorder_delay = Span::from_millis(3);
            plan.links[1].impair.loss = LossPlan::Bernoulli(0.01);
            plan.links[1].impair.duplicate = 0.01;
            let r = result(&plan);
            let f = &r.flows[0];
            assert_eq!(f.received_bytes, 1_000_000, "{}", entry.name);
            assert!(f.completion.is_some(), "{}", entry.name);
            let inside: u64 = r.links.iter().map(|l| l.inside).sum();
            assert_eq!(inside, 0, "{} is still talking", entry.name);
        }
    }

    #[test]
    fn cubic_fills_the_bottleneck_and_no_more() {
        let mut plan = plan("cubic", 30);
        plan.measure_from = Instant::ZERO + Span::from_secs(10);
        let r = result(&plan);
        let f = &r.flows[0];
        let most = 10e6 * 1448.0 / 1500.0;
        assert!(f.goodput_bps <= most * 1.001, "{}", f.goodput_bps);
        assert!(f.goodput_bps > most * 0.97, "{}", f.goodput_bps);
        // Between the pipe (44 ms plus serialisation) and the pipe with a full queue.
        let (least, rtt, cwnd) = (f.min_rtt.unwrap(), f.rtt.unwrap(), f.cwnd.unwrap());
        assert!(least > Span::from_millis(44) && least < Span::from_millis(47));
        assert!(rtt.p95 <= Span::from_millis(47 + 121), "{rtt:?}");
        assert!(rtt.p50 >= least && rtt.p95 >= rtt.p50);
        // The window covers what the pipe holds, and not more than pipe and queue.
        assert!(cwnd.mean > 37.0 && cwnd.max < 160.0, "{f:?}");
        assert!((1.5..2.5).contains(&f.segments_per_ack.unwrap()), "{f:?}");
        let under_way: u64 = [4, 1, 3].map(|l| r.links[l].inside).iter().sum();
        assert_eq!(f.acks_sent, f.acks_received + under_way);
    }

    /// An observer says at whose ends nothing happened; those samples are not taken anew.
    #[test]
    fn samples_are_the_same_whatever_else_is_recorded() {
        for entry in CONTROLLERS {
            let mut plan = plan(entry.name, 10);
            plan.links[0].impair.loss = LossPlan::Bernoulli(0.01);
            plan.links[1].impair.loss = LossPlan::Bernoulli(0.1);
            plan.record.every = Some(Span::from_millis(1));
            let plain = result(&plan).series.flows;
            plan.record.events = true;
            let watched = result(&plan).series.flows;
            assert!(plain.len() > 8000, "{}", entry.name);
            assert!(plain == watched, "{}", entry.name);
        }
    }

    /// No acknowledgement comes before the end: there is no RTT, and zero would be a wrong one.
    #[test]
    fn without_samples_there_are_no_summaries_of_samples() {
        let mut plan = plan("cubic", 10);
        plan.links[1].impair.loss = LossPlan::Bernoulli(1.0);
        let f = result(&plan).flows.remove(0);
        assert_eq!((f.min_rtt, f.rtt, f.srtt, f.cwnd), (None, None, None, None));
        assert_eq!((f.segments_per_ack, f.acks_per_rtt), (None, None));
    }

    #[test]
    fn sequence_numbers_begin_at_their_origins() {
        let mut plan = plan("cubic", 3);
        plan.record.packets = Some(TapPlan {
            nodes: vec![true; plan.nodes.len()],
            links: vec![false; plan.links.len()],
        });
        let r = result(&plan);
        let first = |way| {
            let mut seen = r.records.packets.iter();
            let syn = seen.find(|p| p.flow.0 == way).unwrap();
            syn.datagram.tcp().unwrap().seq.0
        };
        assert_eq!(origins(&plan, 1)[0], Some([first(0), first(1)]));
        let tcp = plan.flows[0].transport.tcp_mut().unwrap();
        Arc::make_mut(&mut tcp.config).isn = Some(7);
        assert_eq!(origins(&plan, 1)[0], Some([7, 7]));
    }

    #[test]
    fn a_run_repeats() {
        let mut plan = plan("bbr3", 10);
        plan.record.every = Some(Span::from_millis(10));
        plan.links[0].impair.loss = LossPlan::Bernoulli(0.001);
        assert_eq!(
            format!("{:?}", result(&plan)),
            format!("{:?}", result(&plan))
        );
    }
}
