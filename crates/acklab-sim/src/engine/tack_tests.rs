//! TACK between hosts.

use super::dumbbell::Dumbbell;
use super::run;
use crate::plan::{AppPlan, LossPlan, Plan, TackPlan, TransportPlan};
use crate::record::RunResult;
use acklab_proto::cc::registry::CONTROLLERS;
use acklab_proto::registry::Params;
use acklab_proto::tack::{self, TackConfig};
use acklab_proto::tcp::config::CcChoice;
use acklab_units::{Instant, Span};
use core::sync::atomic::AtomicBool;
use std::sync::Arc;

fn plan(cc: &str, seconds: u64) -> Plan {
    let mut plan = Dumbbell {
        length: Span::from_secs(seconds),
        ..Dumbbell::default()
    }
    .plan();
    let params = Params::defaults(tack::PARAMS);
    plan.flows[0].transport = TransportPlan::Tack(TackPlan {
        config: Arc::new(TackConfig::from_params(&params)),
        params,
        cc: CcChoice::named(cc).unwrap(),
    });
    plan
}

fn result(plan: &Plan) -> RunResult {
    run(plan, 1, &AtomicBool::new(false)).unwrap()
}

/// The bad line of TCP's test: losses, reordering and copies, both ways.
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

/// 10 Mbit/s and 44 ms: beta / RTT_min is 91 a second, a ninth of the packets.
#[test]
fn cubic_fills_the_bottleneck_with_few_acknowledgements() {
    let mut plan = plan("cubic", 30);
    plan.measure_from = Instant::ZERO + Span::from_secs(10);
    let r = result(&plan);
    let f = &r.flows[0];
    // Two bytes of the packet number stay away.
    let most = 10e6 * 1434.0 / 1498.0;
    assert!(f.goodput_bps <= most * 1.001, "{}", f.goodput_bps);
    assert!(f.goodput_bps > most * 0.97, "{}", f.goodput_bps);
    assert!(f.acks_sent < 30 * 100, "{}", f.acks_sent);
    assert!(f.datagrams.is_none(), "what is lost is sent again");
    // The queue is never empty for as long as the minimum lasts.
    let least = f.min_rtt.unwrap();
    assert!(
        least > Span::from_millis(44) && least < Span::from_millis(170),
        "{least:?}"
    );
}

/// BBR drains it, and the minimum is the path's.
#[test]
fn bbr_sees_the_minimum_of_the_path() {
    for cc in ["bbr1", "bbr3"] {
        let r = result(&plan(cc, 30));
        let f = &r.flows[0];
        let least = f.min_rtt.unwrap();
        assert!(
            least > Span::from_millis(44) && least < Span::from_millis(48),
            "{cc} {least:?}"
        );
        assert!(f.goodput_bps > 8.9e6, "{cc} {}", f.goodput_bps);
    }
}

#[test]
fn a_run_repeats_and_watching_changes_nothing() {
    let mut plan = plan("bbr3", 10);
    plan.record.every = Some(Span::from_millis(10));
    plan.links[0].impair.loss = LossPlan::Bernoulli(0.001);
    let first = result(&plan);
    assert_eq!(format!("{first:?}"), format!("{:?}", result(&plan)));
    plan.record.events = true;
    assert!(first.series.flows == result(&plan).series.flows);
}
