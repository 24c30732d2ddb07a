//! Filters that look into the queue, through whole runs: where they find ACKs, and where a hardware
//! queue is in between.

use super::*;
use crate::scenario::load_toml;
use acklab_path::ack_filter::FilterStats;
use acklab_path::packet::DropReason;

/// Ten uploads through an access point: of each link to a station what the filter counted, and how
/// many ACKs the link says that it dropped.
fn links(wifi: &str, filter: &str) -> Vec<(FilterStats, u64)> {
    let text = format!(
        "duration = '2 s'\n[topology]\npreset = 'wlan'\nstations = 10\n\
         [topology.wire]\nrate = '100 Mbit/s'\ndelay = '2 ms'\n\
         [wifi]\n{wifi}\n[wifi.down]\nack_filter = {filter}\n\
         [record]\nacks = true\n[[flow]]\ncount = 10\n"
    );
    let plan = load_toml(&text, "t", &[]).unwrap_or_else(|e| panic!("{e}"));
    let run = run(&plan.plan, 1, &AtomicBool::new(false)).expect("not interrupted");
    let links = run.links.iter().filter_map(|l| {
        let thinned = l.stats.dropped_for(DropReason::AckThinned);
        Some((l.filter?, thinned))
    });
    links.collect()
}

/// The filter's books are the link's, wherever packets wait. Debug builds balance the queues, too.
#[test]
fn what_a_filter_says_it_dropped_was_dropped() {
    let filters = [
        "'cake'",
        "{ name = 'cake', mode = 'aggressive' }",
        "{ name = 'android-replace', flows = 100 }",
        "{ name = 'android-replace', flows = 100, others = 'keep', sack = 'keep' }",
        "['tac', 'cake']",
        "[{ name = 'aggregate', ratio = 2 }, { name = 'android-replace', flows = 100 }]",
    ];
    let channels = [
        "ampdu = '32 KiB'\nqueue = '100 packets'",
        "qdisc = 'per-station'",
        "qdisc = 'fq-codel'\ndevice_queue = 4",
        "hack = true",
        "lifetime = '10 ms'",
        "bit_error_rate = 1e-5",
        "standard = 'g'",
    ];
    for channel in channels {
        for filter in filters {
            let found = links(channel, filter);
            assert_eq!(found.len(), 10);
            let all: u64 = found.iter().map(|(_, thinned)| thinned).sum();
            assert!(all > 10, "{channel} {filter}: {all}");
            for (stats, thinned) in found {
                assert_eq!(stats.dropped, thinned, "{channel} {filter}");
                let gone = stats.forwarded + stats.dropped;
                assert_eq!(stats.seen, gone + u64::from(stats.held));
            }
        }
    }
}
