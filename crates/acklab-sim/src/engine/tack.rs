//! TACK as the engine's transport.

use super::End;
use crate::plan::TackPlan;
use acklab_proto::cc::CcInit;
use acklab_proto::tack::TackEndpoint;
use acklab_proto::tcp::Role;

/// The end that a plan asks for at `end` of a flow with these settings.
pub(super) fn endpoint(plan: &TackPlan, end: End<'_>) -> TackEndpoint {
    let config = &plan.config;
    let cc = plan.cc.build(CcInit {
        mss: config.mss,
        initial_cwnd: u64::from(config.mss) * u64::from(config.initial_window),
        seed: end.seeds.cc,
        kernel_units: false,
    });
    let role = if end.active {
        Role::Active
    } else {
        Role::Passive
    };
    TackEndpoint::new(role, config.clone(), cc, u64::from(end.seeds.isn))
}
