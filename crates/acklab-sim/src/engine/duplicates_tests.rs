//! Duplicate acknowledgements through whole runs: fast retransmit (RFC 5681 section 3.2) counts three,
//! and a recovery without SACK lives of each of them (RFC 6582 section 3.2).

use super::*;
use crate::record::AckEvent;
use crate::scenario::load_toml;

/// How many ACKs without news the receiver sent and the sender received while a transfer of 8 MB over a
/// wire that loses one packet in a hundred was finished, with a filter on the way back.
fn duplicates(filter: &str, sack: bool, seed: u64) -> (usize, usize) {
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
        acks.filter(|a| a.segments == 0 && what(&a.what)).count()
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
            assert!(sent > 200, "{filter}: {sent}");
            assert_eq!(sent, received, "{filter}, sack = {sack}, seed {seed}");
        }
    }
}

#[test]
fn without_the_guard_some_are_taken_for_first_ones_and_replaced() {
    for filter in ["{ name = 'tac', duplicates = 'hold' }", "'tac-paper'"] {
        let (sent, received) = duplicates(filter, false, 1);
        assert!(received < sent, "{filter}: {received} of {sent}");
    }
}
