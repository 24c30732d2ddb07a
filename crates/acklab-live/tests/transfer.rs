//! Bytes arrive once, whole and in order, whatever happens to packets.

mod common;

use acklab_live::Config;
use common::{Faults, Middle, ends, exchange};

#[test]
fn bytes_arrive_both_ways_and_both_ends_close() {
    let e = ends(Config::default());
    let (client, server) = e.join(e.server.local_addr());
    exchange(&client, &server, 8 << 20);
    let report = client.report().unwrap();
    assert_eq!(report.stats.bytes_received, 8 << 20);
    assert_eq!(report.wire.refused, 0);
}

#[test]
fn bytes_arrive_under_loss_copies_reordering_and_corruption() {
    let e = ends(Config::default());
    let faults = Faults {
        loss: 0.02,
        copies: 0.02,
        late: 0.05,
        changed: 0.02,
    };
    let middle = Middle::new(e.server.local_addr(), faults, 1);
    let (client, server) = e.join(middle.address);
    exchange(&client, &server, 2 << 20);
    let report = server.report().unwrap();
    assert!(report.wire.refused > 10, "{report:?}");
    assert!(report.stats.retrans_segs > 10, "{report:?}");
}
