//! The choice of the stations served at once, and of their tones.

use super::super::station::Port;
use super::super::{Medium, PortId};
use super::contest::Contest;
use super::state::{DOWN, Member, Ofdma, UP};
use super::{AP, Scheduler};
use crate::wifi::mac::{Content, PeerId, sizes};
use crate::wifi::phy::{Mode, Ru};
use acklab_units::Span;

/// A packet that is not known counts as so long.
pub(super) const USUAL: u64 = 1500;
/// The memory of [`Scheduler::ProportionalFair`]: the mean is over about so many exchanges.
const MEMORY: f64 = 100.0;
/// Stations whose MU EDCA timer runs no longer than this are left to wait for its end if so many times as many bytes per
/// second arrive after it. Both are our choice: no standard has such a rule.
const PAUSE: Span = Span::from_millis(100);
const WORTH_A_PAUSE: f64 = 1.1;
/// The least grant of a station, in bytes of a PSDU: the `UlPsduSize` of ns-3's
/// `RrMultiUserScheduler`.
pub(super) const LEAST_PSDU: u64 = 500;

/// The part of `bytes` of packets that can be served: bytes of the PSDU.
pub(super) fn psdu_of(bytes: u64, overhead: u32) -> u64 {
    let each = u64::from(overhead + sizes::LLC_SNAP + sizes::DELIMITER) + 3;
    bytes + bytes.div_ceil(USUAL) * each
}

/// The longest PPDU in `mode`.
fn longest(m: &Medium, mode: Mode) -> Span {
    m.phy.max_time(mode).unwrap_or(Span::MAX)
}

/// The longest PPDU in `mode` in a transmission opportunity of the access point under `category` in which so much goes
/// `around` it.
pub(super) fn longest_ppdu(m: &Medium, mode: Mode, category: u8, around: Span) -> Span {
    let edca = m.stations[0].categories[usize::from(category)].config;
    match edca.txop.is_zero() {
        true => longest(m, mode),
        false => longest(m, mode).min(edca.txop.saturating_sub(around)),
    }
}

/// Symbols that a PPDU in `mode` has that lasts `longest` at most, with that preamble.
pub(super) fn symbols_within(m: &Medium, mode: Mode, longest: Span, preamble: Span) -> u32 {
    let left = longest.saturating_sub(preamble);
    let mut symbols = (left.as_nanos() / m.phy.timing(mode).symbol().as_nanos()) as u32;
    // The packet extension.
    while symbols > 1 && m.phy.shared_symbols(mode, symbols).duration() > left {
        symbols -= 1;
    }
    symbols
}

impl Ofdma {
    /// The way of a member in that direction.
    fn way(&self, member: usize, direction: usize) -> Option<PortId> {
        let member = &self.members[member];
        if direction == UP {
            member.up
        } else {
            member.down
        }
    }

    /// The bytes that a member has to send or to receive.
    pub(super) fn backlog(&self, m: &Medium, member: usize, direction: usize, category: u8) -> u64 {
        if direction == UP {
            return self.members[member].reported;
        }
        let Some(port) = self.members[member].down else {
            return 0;
        };
        let peer = PeerId(m.ports[port.0 as usize].peer);
        m.stations[0].categories[usize::from(category)]
            .queue
            .backlog(peer)
    }

    fn mode_of(&self, m: &Medium, member: usize, direction: usize) -> Option<Mode> {
        let port = self.way(member, direction)?;
        Some(m.ports[port.0 as usize].sending.mode)
    }

    /// Chooses among those who are [`Ofdma::ready`], which is what remains of them: the resource unit of each.
    /// `None` means that more arrives otherwise: downlink if they are served one after the other, uplink if
    /// they contend.
    pub(super) fn choose(
        &mut self,
        m: &Medium,
        (direction, category): (usize, u8),
        at_most: u16,
    ) -> Option<Ru> {
        let (ru, count) = self.pick(m, (direction, category), at_most)?;
        let alone = count < 2 && direction == DOWN;
        let several = !(alone || self.singles_pay(m, (direction, category), (ru, count)));
        // Who is left to contend has had the turn, too, so that others are looked at.
        if several || direction == UP {
            self.pass_turn(direction);
        }
        several.then_some(ru)
    }

    /// Whether it pays to call those who are ready. If it does, whoever has the turn keeps it.
    pub(super) fn calls_pay(&mut self, m: &Medium, category: u8, at_most: u16) -> bool {
        let picked = self.pick(m, (UP, category), at_most);
        let pay = picked.is_some_and(|picked| !self.singles_pay(m, (UP, category), picked));
        if !pay {
            self.pass_turn(UP);
        }
        pay
    }

    /// The turn goes to whoever comes after those who are ready.
    fn pass_turn(&mut self, direction: usize) {
        if let Some(last) = self.last_in_turn(direction) {
            self.turns[direction] = (last + 1) % self.members.len();
        }
    }

    /// Those of the ready who come first by the scheduler, as many as it serves at once, and the resource unit of each.
    fn pick(
        &mut self,
        m: &Medium,
        (direction, category): (usize, u8),
        at_most: u16,
    ) -> Option<(Ru, u32)> {
        let may_be_one = direction == UP;
        let mut ready = core::mem::take(&mut self.ready);
        let turn = self.turns[direction];
        let n = self.members.len();
        ready.sort_by_key(|i| (i + n - turn) % n);
        match self.config.scheduler {
            Scheduler::RoundRobin => {}
            Scheduler::ProportionalFair => {
                let worth = |i: usize| {
                    let rate = self
                        .mode_of(m, i, direction)
                        .map_or(0, |mode| mode.rate().as_bps());
                    rate as f64 / self.members[i].served[direction].max(1.0)
                };
                ready.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)));
            }
            Scheduler::Backlog => {
                ready.sort_by_key(|i| u64::MAX - self.backlog(m, *i, direction, category));
            }
        }
        // All resource units are of a channel of one width.
        let widths = ready.iter().filter_map(|i| self.mode_of(m, *i, direction));
        let mut widths = widths.map(|mode| mode.width());
        let width = widths.find(|width| self.divides(*width));
        ready.retain(|i| self.mode_of(m, *i, direction).map(|mode| mode.width()) == width);
        self.ready = ready;
        let width = width?;
        let most = (self.ready.len() as u32).min(u32::from(at_most));
        let (mut ru, mut count) = Ru::filling(most, width);
        if let Some(plan) = &self.config.plan {
            count = most.min(plan.listed().len() as u32);
        } else if self.config.scheduler == Scheduler::Backlog {
            let mut best = 0.0;
            for option in Ru::ALL {
                let users = option.most_in(width).min(most);
                let fills = Ru::filling(users.max(1), width).0 == option;
                if users == 0 || !fills || (users == 1 && !may_be_one) {
                    continue;
                }
                let rate = self.rate_of(m, (direction, category), users as usize, option);
                if rate > best {
                    (best, ru, count) = (rate, option, users);
                }
            }
        }
        self.ready.truncate(count as usize);
        self.order_by_backlog(m, direction, category);
        Some((ru, count))
    }

    /// Whether as much arrives, or more, if those who are ready do not share the channel.
    fn singles_pay(
        &self,
        m: &Medium,
        (direction, category): (usize, u8),
        (ru, count): (Ru, u32),
    ) -> bool {
        let may = match direction {
            UP => self.may_contend(m),
            _ => count >= 2,
        };
        if !(self.config.falls_back && may) {
            return false;
        }
        let gain = match direction == UP && self.members.iter().any(|member| member.rests(m)) {
            true => WORTH_A_PAUSE,
            false => 1.0,
        };
        let together = self.rate_of(m, (direction, category), count as usize, ru);
        gain * together <= self.rate_of_singles(m, (direction, category))
    }

    /// Whether everybody may send for themselves, now or after a short pause for which there is enough to send, and no
    /// resource unit is for whoever wants it.
    fn may_contend(&self, m: &Medium) -> bool {
        let timer = self
            .config
            .uplink
            .and_then(|u| u.mu_edca)
            .map(|mu| mu.timer);
        let short = timer.is_none_or(|timer| timer <= PAUSE);
        let waits = |member: &Member| member.rests(m) && !(short && member.has_much());
        self.random_units_in(true) == 0 && !self.members.iter().any(waits)
    }

    /// How those contend who send alone: the access point downlink; uplink everybody with something, and the access
    /// point if it calls or has data of its own.
    fn contest(&self, m: &Medium, (direction, category): (usize, u8), with_ap: bool) -> Contest {
        let from = match (direction, self.ready.first()) {
            (UP, Some(i)) => self.members[*i].station,
            _ => AP,
        };
        let edca = &m.stations[usize::from(from.0)].categories[usize::from(category)].config;
        let n = match direction {
            UP => self.members.iter().filter(|m| m.has_data_up()).count() + usize::from(with_ap),
            _ => 1,
        };
        let (n, windows) = (n as u32, (edca.cw_min, edca.cw_max));
        let cell = &self.contests[direction][usize::from(with_ap)];
        let known = cell.get().filter(|c| (c.n, c.windows) == (n, windows));
        let contest = known.unwrap_or_else(|| Contest::of(n, windows));
        cell.set(Some(contest));
        contest
    }

    /// How long the access point's own data are on the air that collide with a station's, if it has some: all that
    /// waits, as far as a PPDU holds it, or the RTS before.
    fn rival(&self, m: &Medium, category: u8) -> Option<Span> {
        let queue = &m.stations[usize::from(AP.0)].categories[usize::from(category)].queue;
        let way = &m.ports[self.way(*self.ready.first()?, DOWN)?.0 as usize];
        let waits = queue.backlog_of_all();
        if waits == 0 {
            return None;
        }
        Some(lost_by_collision(m, way, waits))
    }

    /// Seconds from wanting the medium to a PPDU that does not collide, if what collides lasts so long.
    fn wait(m: &Medium, aifsn: u8, contest: Contest, collision: f64) -> f64 {
        let aifs = m.phy.aifs(aifsn).as_secs_f64();
        let idle = m.phy.slot().as_secs_f64() * contest.idle_slots;
        idle + aifs + (aifs + collision) * contest.collisions
    }

    /// Seconds that the access point waits for the medium. Stations that no MU EDCA parameters hold back contend with
    /// its calls, and may collide with them.
    fn access(&self, m: &Medium, (direction, category): (usize, u8)) -> f64 {
        let aifsn = m.stations[0].categories[usize::from(category)].config.aifsn;
        let held = self.config.uplink.is_some_and(|u| u.mu_edca.is_some());
        if direction != UP || held {
            return Self::wait(m, aifsn, self.contest(m, (DOWN, category), false), 0.0);
        }
        let lasts = self.ready.iter().filter_map(|i| {
            let way = &m.ports[self.way(*i, UP)?.0 as usize];
            Some(lost_by_collision(
                m,
                way,
                self.expected(m, *i, UP, category),
            ))
        });
        let collision = lasts.max().unwrap_or(Span::ZERO).as_secs_f64();
        Self::wait(m, aifsn, self.contest(m, (UP, category), true), collision)
    }

    /// The bytes that a member can be thought to send next.
    fn expected(&self, m: &Medium, member: usize, direction: usize, category: u8) -> u64 {
        match direction {
            UP => self.members[member].expected(),
            _ => self.backlog(m, member, direction, category),
        }
    }

    /// Bytes per second if the first `users` of those who are ready are served at once on `ru` each.
    fn rate_of(&self, m: &Medium, (direction, category): (usize, u8), users: usize, ru: Ru) -> f64 {
        let (mut bytes, mut symbols, mut symbol) = (0, 0, Span::ZERO);
        let (mut around, mut control) = (Span::ZERO, m.phy.slowest());
        for (k, i) in self.ready.iter().take(users).enumerate() {
            let ru = self.unit_of(k, ru);
            let Some(port) = self.way(*i, direction) else {
                continue;
            };
            let sending = &m.ports[port.0 as usize].sending;
            let mode = sending.mode;
            let on_ru = match direction {
                UP => mode.with_guard(self.config.guard).on_ru(ru),
                _ => mode.on_ru(ru),
            };
            let Ok(on_ru) = on_ru else { continue };
            let timing = m.phy.timing(on_ru);
            let Some(guard) = on_ru.guard() else { continue };
            around = match direction {
                UP => m.phy.tb_preamble(mode.streams(), guard),
                _ => {
                    let sig = self.sig_b_users(mode.width(), users as u32);
                    m.phy
                        .mu_preamble(sig, self.sig_b(mode), mode.streams(), guard)
                }
            };
            (symbol, control) = (timing.symbol(), sending.control);
            let beside = (m.phy.duration(control, sizes::block_ack(64)) + m.phy.sifs()) * 2;
            let left = longest_ppdu(m, on_ru, category, beside);
            let most = u64::from(timing.bytes_in(symbols_within(m, on_ru, left, around)));
            let waits = self.expected(m, *i, direction, category);
            let psdu = psdu_of_way(&m.ports[port.0 as usize], waits).min(most);
            bytes += waits.min(psdu);
            let granted = match direction {
                UP => psdu.max(LEAST_PSDU),
                _ => psdu,
            };
            symbols = symbols.max(timing.symbols(granted as u32));
        }
        let data = around + symbol * u64::from(symbols);
        let short = m.phy.duration(control, sizes::block_ack(64));
        let exchange = match direction {
            // The Trigger frame and the answer, and a poll and reports if each call begins with them.
            UP => {
                let polls = self.config.uplink.is_some_and(|u| u.poll.always);
                let around = (short + m.phy.sifs()) * 2;
                data + around * (1 + u64::from(polls))
            }
            _ => data + m.phy.sifs() + short * 2,
        };
        rate(
            bytes,
            self.access(m, (direction, category)) + exchange.as_secs_f64(),
        )
    }

    /// Bytes per second if those who are ready are served one after the other, each over the whole channel.
    fn rate_of_singles(&self, m: &Medium, (direction, category): (usize, u8)) -> f64 {
        let (mut bytes, mut time) = (0, 0.0);
        let rival = self.rival(m, category).filter(|_| direction == UP);
        let contest = self.contest(m, (direction, category), rival.is_some());
        // Of collisions of two among n, two in n are with any one of them.
        let with_rival = 2.0 / f64::from(contest.n);
        for i in &self.ready {
            let Some(port) = self.way(*i, direction) else {
                continue;
            };
            let way = &m.ports[port.0 as usize];
            let edcaf = &m.stations[usize::from(way.from.0)].categories[usize::from(category)];
            let aifsn = edcaf.config.aifsn;
            let waits = self.expected(m, *i, direction, category);
            let psdu = psdu_alone(m, way, waits);
            bytes += waits.min(u64::from(psdu));
            let (sifs, sending) = (m.phy.sifs(), &way.sending);
            let answered = sending.data(Content::Ampdu, psdu) + sifs + sending.block_ack;
            let announcement = sending.rts + sifs + sending.cts;
            let announced = announces(way, psdu);
            let (takes, collision) = match announced {
                true => (announcement + sifs + answered, announcement),
                false => (answered, answered),
            };
            let mut collision = collision.as_secs_f64();
            if let Some(rival) = rival {
                collision += with_rival * (rival.as_secs_f64() - collision).max(0.0);
            }
            if edcaf.queue.asks_after_silence() && !announced {
                // Each of two then contends for a BlockAckReq.
                let request = sending.data(Content::Bar(0), 0) + sifs + sending.block_ack;
                collision += 2.0 * (Self::wait(m, aifsn, contest, 0.0) + request.as_secs_f64());
            }
            time += Self::wait(m, aifsn, contest, collision) + takes.as_secs_f64();
        }
        rate(bytes, time)
    }

    /// Somebody was served, or was not; for [`Scheduler::ProportionalFair`].
    pub(super) fn note_served(&mut self, direction: usize, lasted: Span) {
        if self.config.scheduler != Scheduler::ProportionalFair {
            return;
        }
        for (i, member) in self.members.iter_mut().enumerate() {
            let users = self.users[..self.active]
                .iter()
                .filter(|u| u.member == i && u.read);
            let bytes: u32 = users.map(|u| u.psdu.ip_bytes()).sum();
            let got = rate(u64::from(bytes), lasted.as_secs_f64());
            let mean = &mut member.served[direction];
            *mean += (got - *mean) / MEMORY;
        }
    }
}

/// The PSDU of `waits` bytes of packets, as far as an A-MPDU of that way and its block ack window hold them.
pub(super) fn psdu_of_way(way: &Port, waits: u64) -> u64 {
    let aggregation = &way.config.aggregation;
    let window = psdu_of(USUAL * u64::from(aggregation.window), aggregation.overhead);
    let most = window.min(u64::from(aggregation.ampdu));
    psdu_of(waits, aggregation.overhead).min(most)
}

/// The same if it has the whole channel.
fn psdu_alone(m: &Medium, way: &Port, waits: u64) -> u32 {
    let longest = longest(m, way.sending.mode);
    let most = m.phy.timing(way.sending.mode).max_psdu(longest);
    psdu_of_way(way, waits).min(u64::from(most)) as u32
}

/// Whether an RTS goes before it.
fn announces(way: &Port, psdu: u32) -> bool {
    way.config.rts_from.is_some_and(|least| psdu >= least)
}

/// How long a collision of `waits` bytes lasts: the RTS before them, or as many of them as a PPDU holds.
fn lost_by_collision(m: &Medium, way: &Port, waits: u64) -> Span {
    let psdu = psdu_alone(m, way, waits);
    match announces(way, psdu) {
        true => way.sending.rts,
        false => way.sending.data(Content::Ampdu, psdu),
    }
}

/// Bytes per second; none in no time.
fn rate(bytes: u64, seconds: f64) -> f64 {
    match seconds > 0.0 {
        true => bytes as f64 / seconds,
        false => 0.0,
    }
}
