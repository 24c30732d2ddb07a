//! Sources that never run dry.

use super::*;
use crate::scenario;

static GO: AtomicBool = AtomicBool::new(false);

fn cell(stations: u32, keys: &str) -> Plan {
    let text = format!(
        "name = \"saturated\"\nduration = \"2 s\"\nstart = \"1 s\"\n\
         topology = {{ preset = \"wlan\", stations = {stations} }}\n\
         [[flow]]\ncount = {stations}\n[wifi]\n{keys}\n"
    );
    scenario::load_toml(&text, "saturated.toml", &[])
        .unwrap()
        .plan
}

fn load(packet: u32) -> Load {
    Load {
        packet,
        waiting: 200,
        all: true,
    }
}

/// AIFS 43 us, half of 15 slots of 9 us, 224 us of data (1460 + 38 bytes at 65 Mbit/s), SIFS 16 us,
/// ACK 28 us: 378.5 us; with 1 s of warm-up in 2 s.
#[test]
fn one_source_has_the_channel_to_itself() {
    let all = saturate(&cell(1, "ampdu = \"off\""), load(1460), 3, &GO).unwrap();
    let [one] = all.as_slice() else {
        panic!("one flow: {all:?}")
    };
    let expected = 2e6 / 378.5;
    let off = one.packets as f64 / expected - 1.0;
    assert!(off.abs() < 0.01, "{off}");
    assert_eq!(one.failures, 0);
    assert!(one.accesses.abs_diff(one.packets) <= 1);
}

#[test]
fn sources_share_alike_and_repeat() {
    let plan = cell(4, "ampdu = \"off\"");
    let all = saturate(&plan, load(1460), 3, &GO).unwrap();
    let most = all.iter().map(|s| s.packets).max().unwrap();
    let least = all.iter().map(|s| s.packets).min().unwrap();
    assert!(all.len() == 4 && least * 10 > most * 8, "{all:?}");
    assert!(all.iter().all(|s| s.failures > 0));
    assert_eq!(all, saturate(&plan, load(1460), 3, &GO).unwrap());
}

/// Packets lost on the air are replaced, too: a source never runs dry.
#[test]
fn losses_are_replaced() {
    let keys = "ampdu = \"off\"\nretry_limit = 1\nbit_error_rate = 1e-4";
    let all = saturate(&cell(1, keys), load(1460), 3, &GO).unwrap();
    assert!(all[0].accesses > 4000, "{all:?}");
    assert!(all[0].packets < all[0].accesses / 2);
}

/// The access point's queue of 500 packets is the only one that two flows share.
#[test]
fn a_queue_that_is_too_short_is_told_or_filled() {
    let mut plan = cell(2, "");
    plan.flows
        .iter_mut()
        .for_each(|f| core::mem::swap(&mut f.forward, &mut f.reverse));
    let (fits, more) = (250, 251);
    let with = |waiting, all| {
        let packet = 1500;
        saturate(
            &plan,
            Load {
                packet,
                waiting,
                all,
            },
            3,
            &GO,
        )
    };
    let node = plan.nodes.iter().position(|n| n == "ap").unwrap();
    let full = Unsaturated::Full {
        node,
        takes: 500,
        flows: 2,
    };
    assert_eq!(with(more, true), Err(full));
    let filled = with(more, false).unwrap();
    assert_eq!(filled, with(fits, true).unwrap());
    assert!(filled.iter().all(|s| s.packets > 0), "{filled:?}");
}

#[test]
fn it_can_be_interrupted() {
    let stopped = saturate(&cell(1, ""), load(100), 3, &AtomicBool::new(true));
    assert!(stopped.is_err());
}
