//! Packet-timed round trips.

/// Counts round trips in units of delivered data instead of time.
///
/// A round begins by noting how much has been delivered; it ends with the ACK of any packet sent
/// after that. Idle periods and timer delays therefore do not age the model.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    next_round_delivered: u64,
    delivered: u64,
    count: u64,
    start: bool,
}

impl Rounds {
    /// Rounds completed so far (`round_count`, `rtt_cnt`).
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes delivered at the latest ACK that was counted.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Whether the ACK being processed is the first of a new round (`round_start`).
    pub fn is_start(&self) -> bool {
        self.start
    }

    /// Makes the round in progress end with the first ACK for data sent from now on.
    /// `delivered`: bytes delivered on the connection so far.
    pub fn restart(&mut self, delivered: u64) {
        self.next_round_delivered = delivered;
    }

    /// Pretends that this moment is the start of a round, as an RTO is in Linux.
    pub fn force_start(&mut self) {
        self.start = true;
    }

    /// Notes an ACK that carries no usable rate sample: no round starts with it.
    pub fn skip(&mut self) {
        self.start = false;
    }

    /// Takes an ACK. `prior_delivered`: bytes that were delivered when the newest acknowledged
    /// packet was sent; `delivered`: bytes delivered now. Returns whether a round starts.
    pub fn update(&mut self, prior_delivered: u64, delivered: u64) -> bool {
        self.delivered = delivered;
        self.start = prior_delivered >= self.next_round_delivered;
        if self.start {
            self.next_round_delivered = delivered;
            self.count += 1;
        }
        self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_with_data_sent_after_its_beginning() {
        let mut r = Rounds::default();
        assert!(r.update(0, 1000), "the very first ACK starts round one");
        assert!(!r.update(0, 2000), "sent before anything was delivered");
        assert!(!r.update(999, 3000));
        assert!(r.update(1000, 4000));
        assert_eq!(r.count(), 2);
    }

    #[test]
    fn one_stretch_ack_is_at_most_one_round() {
        let mut r = Rounds::default();
        r.update(0, 200 * 1448);
        assert!(r.update(200 * 1448, 400 * 1448));
        assert_eq!(r.count(), 2);
    }

    #[test]
    fn restart_pushes_the_end_out() {
        let mut r = Rounds::default();
        r.update(0, 1000);
        r.restart(5000);
        assert!(!r.update(1000, 6000));
        assert!(r.update(5000, 7000));
    }

    #[test]
    fn skipping_and_forcing() {
        let mut r = Rounds::default();
        r.update(0, 1000);
        r.skip();
        assert!(!r.is_start());
        r.force_start();
        assert!(r.is_start());
        assert_eq!(r.count(), 1, "forcing a start does not count a round");
    }
}
