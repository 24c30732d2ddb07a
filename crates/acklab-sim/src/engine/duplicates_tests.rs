//! Duplicate acknowledgements through whole runs: fast retransmit (RFC 5681 section 3.2) counts three,
//! and a recovery without SACK lives of each of them (RFC 6582 section 3.2).

use super::*;
use crate::record::AckEvent;
use crate::scenario::load_toml;

/// The numbers of the ACKs without news that the receiver sent, and of those that reached the sender, while
/// 8 MB crossed a wire that loses one packet in a hundred, with a filter on the way back.
fn duplicates(filter: &str, sack: bool, seed: u64) -> (Vec<u64>, Vec<u64>) {
    let text = format!(
        "duration = '60 s'\n[topology]\npreset = 'dumbbell'\n\
         [topology.bottleneck]\nrate = '20 Mbit/s'\ndelay = '10 ms'\nqueue = '200 packets'\nloss = 0.01\n\
         [topology.bottleneck.reverse]\nack_filter = {filter}\n[record]\nacks = true\n\
         [tcp]\nprofile = 'rfc'\nsack = {sack}\n\
         [[flow]]\ncc = 'newreno'\napp = {{ kind = 'bulk', bytes = '8 MB' }}\n"
    );
    let plan = load_toml(&text, "t", &[]).unwrap_or_else(|e| panic!("{e}"));
    let run = run(&plan.plan, seed, &AtomicBool::new(false)).expect("not interrupted");
    assert!(run.flows[0].completion.is_some(), "{filter}: not finished");
    assert!(run.flows[0].recoveries > 3, "{filter}: nothing to recover");
    let without_news = |what: fn(&AckEvent) -> bool| {
        let acks = run.records.acks.iter();
        let found = acks.filter(|a| a.segments == 0 && what(&a.what));
        found.map(|a| a.ack).collect()
    };
    (
        without_news(|e| matches!(e, AckEvent::Sent(_))),
        without_news(|e| matches!(e, AckEvent::Received)),
    )
}

#[test]
fn every_duplicate_passes_tac_with_guards() {
    for filter in ["'none'", "'tac'"] {
        for (sack, seed) in [(false, 1), (false, 2), (true, 1)] {
            let (sent, received) = duplicates(filter, sack, seed);
            let told = format!("{filter}, sack = {sack}, seed {seed}");
            assert!(received.len() > 200, "{told}");
            // The last of the connection is on its way when the run ends.
            assert!(sent.len() - received.len() <= 1, "{told}");
            assert_eq!(sent[..received.len()], received[..], "{told}");
        }
    }
}

#[test]
fn without_the_guard_some_are_taken_for_first_ones_and_replaced() {
    for filter in ["{ name = 'tac', duplicates = 'hold' }", "'tac-paper'"] {
        let (sent, received) = duplicates(filter, false, 1);
        let missing = sent.len() - received.len();
        assert!(missing > 1, "{filter}: {missing} of {}", sent.len());
    }
}
