//! COBALT: CoDel for flows that answer, and BLUE for those that do not, side by side on one queue.
//!
//! CoDel's count rises with each signal and falls again while the queue is short, on the same schedule,
//! instead of being forgotten. BLUE drops at random, with a probability that rises when the queue is
//! among the fattest of a full memory, and falls when it runs empty. Rules of `cobalt_queue_full`,
//! `cobalt_queue_empty` and `cobalt_should_drop` in Linux's `net/sched/sch_cake.c`; Hoiland-Jorgensen
//! et al. 2018, section 3.

use crate::packet::Packet;
use acklab_proto::rng::{Rng, RngCore};
use acklab_proto::segment::Ecn;
use acklab_units::{Instant, Span};

/// The rise of BLUE's probability, of 2^32: 1/256 (`cake_set_rate`).
const RISE: u32 = 1 << 24;
/// Its fall: 1/4096.
const FALL: u32 = 1 << 20;

/// Roots below this count are exact; above, one Newton step from the neighbour is enough.
const EXACT: usize = 16;

/// `2^32 / sqrt(count)`, for small counts; 0 and 1 have as much as fits.
static ROOTS: [u32; EXACT] = roots();

const fn roots() -> [u32; EXACT] {
    let mut table = [u32::MAX; EXACT];
    let mut count = 1;
    // Each starts from the root before it, as in `cobalt_cache_init`.
    while count < EXACT {
        let mut root = table[count - 1];
        let mut steps = 0;
        while steps < 4 {
            root = newton(root, count as u32);
            steps += 1;
        }
        table[count] = root;
        count += 1;
    }
    table
}

/// One Newton step towards `2^32 / sqrt(count)`: `root * (3 - count * root^2) / 2`.
const fn newton(root: u32, count: u32) -> u32 {
    let square = ((root as u64) * (root as u64)) >> 32;
    let rest = (3u64 << 32).wrapping_sub((count as u64).wrapping_mul(square));
    (((rest >> 2) * root as u64) >> 31) as u32
}

/// Times of a tin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    /// Waiting time that is acceptable as a standing queue.
    pub target: Span,
    /// How long a queue may be above it before something happens.
    pub interval: Span,
    /// How long the largest packet takes at the rate of the tin.
    pub packet: Span,
}

/// The fate of a packet at the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Signal {
    /// It is to be dropped, unless it is the last one.
    pub drop: bool,
    /// It bears a mark instead of being dropped by CoDel.
    pub marked: bool,
}

/// State of the two laws on one queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cobalt {
    /// Signals that CoDel has given and not taken back.
    pub count: u32,
    /// `2^32 / sqrt(count)`. Linux starts it at zero, so that a queue that has never been too long
    /// gets its first signal with the second late packet and not an interval later.
    root: u32,
    drop_next: Instant,
    blue_timer: Instant,
    /// BLUE's probability, of 2^32.
    pub p_drop: u32,
    dropping: bool,
}

impl Cobalt {
    fn update_root(&mut self) {
        self.root = match ROOTS.get(self.count as usize) {
            Some(root) => *root,
            None => newton(self.root, self.count),
        };
    }

    /// `interval / sqrt(count)` after `t`.
    fn control_law(&self, t: Instant, interval: Span) -> Instant {
        let gap = (u128::from(interval.as_nanos()) * u128::from(self.root)) >> 32;
        t.saturating_add(Span::from_nanos(gap as u64))
    }

    /// The memory is full, and this queue pays for it. True if BLUE was at rest.
    pub fn on_full(&mut self, now: Instant, times: &Times) -> bool {
        let mut woken = false;
        if now.saturating_since(self.blue_timer) > times.target {
            woken = self.p_drop == 0;
            self.p_drop = self.p_drop.saturating_add(RISE);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
        woken
    }

    /// The queue had its turn and was empty. True if BLUE came to rest.
    pub fn on_empty(&mut self, now: Instant, times: &Times) -> bool {
        let mut at_rest = false;
        if self.p_drop > 0 && now.saturating_since(self.blue_timer) > times.target {
            self.p_drop = self.p_drop.saturating_sub(FALL);
            self.blue_timer = now;
            at_rest = self.p_drop == 0;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.update_root();
            self.drop_next = self.control_law(self.drop_next, times.interval);
        }
        at_rest
    }

    /// Whether nothing is left to remember.
    pub fn is_at_rest(&self, now: Instant) -> bool {
        self.p_drop == 0 && self.count == 0 && now >= self.drop_next
    }

    /// The fate of a packet that has waited since `since`; it is marked here. With `bulk` flows in an
    /// ingress shaper each may have two packets, whatever the target.
    pub fn signal(
        &mut self,
        now: Instant,
        times: &Times,
        (packet, since): (&mut Packet, Instant),
        bulk: u64,
        rng: &mut Rng,
    ) -> Signal {
        let sojourn = now.saturating_since(since);
        let too_long = sojourn > times.target
            && sojourn > times.packet.saturating_mul(bulk * 2)
            && sojourn > times.packet.saturating_mul(4);
        let due = self.count > 0 && now >= self.drop_next;
        // Before the next instant is set below: whether it had passed.
        let mut passed = now > self.drop_next;
        self.note_length(now, times, too_long);
        let mut signal = Signal::default();
        if due && self.dropping {
            signal.marked = packet.mark() || packet.ecn == Ecn::Ce;
            signal.drop = !signal.marked;
            self.count = self.count.saturating_add(1);
            self.update_root();
            self.drop_next = self.control_law(self.drop_next, times.interval);
            passed = now > self.drop_next;
        } else if due {
            passed = self.take_back(now, times);
        }
        if self.p_drop > 0 {
            signal.drop |= rng.next_u32() < self.p_drop;
        }
        if self.count == 0 {
            self.drop_next = now.saturating_add(times.interval);
        } else if passed && !signal.drop {
            self.drop_next = now;
        }
        signal
    }

    fn note_length(&mut self, now: Instant, times: &Times, too_long: bool) {
        if too_long && !self.dropping {
            self.drop_next = self.control_law(now, times.interval);
        }
        self.dropping = too_long;
        if too_long {
            self.count = self.count.max(1);
        }
    }

    /// The queue is short: the count falls by as much as its schedule has passed. Whether the next
    /// instant has passed, too.
    fn take_back(&mut self, now: Instant, times: &Times) -> bool {
        while self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.update_root();
            self.drop_next = self.control_law(self.drop_next, times.interval);
        }
        now > self.drop_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, PacketId};
    use acklab_proto::rng;

    const TIMES: Times = Times {
        target: Span::from_millis(5),
        interval: Span::from_millis(100),
        packet: Span::from_micros(1200),
    };

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Span::from_millis(ms)
    }

    /// The signal for a packet that leaves at `ms` and has waited for `waited` ms.
    fn leave(c: &mut Cobalt, ms: u64, waited: u64, ecn: Ecn) -> Signal {
        let mut packet = Packet {
            id: PacketId(0),
            size: 1500,
            flow: FlowId(0),
            ecn,
        };
        let mut rng = rng::stream(1, "cobalt");
        c.signal(at(ms), &TIMES, (&mut packet, at(ms - waited)), 0, &mut rng)
    }

    #[test]
    fn roots_are_inverse_square_roots() {
        for count in 1..EXACT as u32 {
            let exact = 4_294_967_296.0 / f64::from(count).sqrt();
            let error = (f64::from(ROOTS[count as usize]) - exact).abs() / exact;
            // Four steps from the root of 1 leave 0.06 % at 2, as in Linux.
            assert!(error < 1e-3, "{count}: {error}");
        }
        // Beyond the table the error of the single steps stays small, up and down.
        let mut c = Cobalt::default();
        for count in (1..2000).chain((16..2000).rev()) {
            c.count = count;
            c.update_root();
            let exact = 4_294_967_296.0 / f64::from(count).sqrt();
            let error = (f64::from(c.root) - exact).abs() / exact;
            assert!(error < 0.01, "{count}: {error}");
        }
    }

    #[test]
    fn a_fresh_queue_signals_with_its_second_late_packet() {
        let mut c = Cobalt::default();
        assert!(!leave(&mut c, 100, 10, Ecn::NotEct).drop);
        assert!(leave(&mut c, 101, 10, Ecn::NotEct).drop);
        // Then an interval over the root of the count.
        assert!(!leave(&mut c, 170, 10, Ecn::NotEct).drop);
        assert!(leave(&mut c, 171, 10, Ecn::NotEct).drop);
    }

    #[test]
    fn marks_take_the_place_of_drops() {
        let mut c = Cobalt::default();
        leave(&mut c, 100, 10, Ecn::Ect0);
        let marked = Signal {
            drop: false,
            marked: true,
        };
        assert_eq!(leave(&mut c, 101, 10, Ecn::Ect0), marked);
        assert_eq!(leave(&mut c, 102, 10, Ecn::Ect0), Signal::default());
    }

    /// The count is not forgotten when the queue is short for once.
    #[test]
    fn the_count_falls_on_its_schedule() {
        let mut c = Cobalt::default();
        (100..1000).for_each(|ms| {
            leave(&mut c, ms, 10, Ecn::NotEct);
        });
        let high = c.count;
        assert!(high > 20, "{high}");
        leave(&mut c, 1000, 1, Ecn::NotEct);
        assert!(c.count + 1 >= high);
        (1001..3000).for_each(|ms| {
            leave(&mut c, ms, 1, Ecn::NotEct);
        });
        assert_eq!(c.count, 0);
    }

    #[test]
    fn four_packets_are_never_too_long() {
        let mut c = Cobalt::default();
        let slow = Times {
            packet: Span::from_millis(10),
            ..TIMES
        };
        let mut packet = Packet {
            id: PacketId(0),
            size: 1500,
            flow: FlowId(0),
            ecn: Ecn::NotEct,
        };
        let mut rng = rng::stream(1, "cobalt");
        for ms in 100..1000 {
            let late = (&mut packet, at(ms - 40));
            assert_eq!(
                c.signal(at(ms), &slow, late, 0, &mut rng),
                Signal::default()
            );
        }
        assert!(c.count == 0);
    }

    /// 1/256 each time that the memory is full, at most once a target; 1/4096 when empty.
    #[test]
    fn blue_rises_when_full_and_falls_when_empty() {
        let mut c = Cobalt::default();
        assert!(c.on_full(at(10), &TIMES));
        assert!(!c.on_full(at(12), &TIMES));
        assert_eq!(c.p_drop, RISE);
        assert!(!c.on_full(at(16), &TIMES));
        assert_eq!(c.p_drop, 2 * RISE);
        let mut ms = 16;
        while !c.on_empty(at(ms), &TIMES) {
            ms += 1;
            assert!(ms < 1000);
        }
        // 32 steps, the first of them 6 ms after the last rise.
        assert_eq!((c.p_drop, ms), (0, 16 + 32 * 6));
    }
}
