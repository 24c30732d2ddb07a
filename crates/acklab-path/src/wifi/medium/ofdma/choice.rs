//! The choice of the stations served at once, and of their tones.

use super::super::{Medium, PortId};
use super::Scheduler;
use super::state::{Ofdma, UP};
use crate::wifi::mac::{PeerId, sizes};
use crate::wifi::phy::{Mode, Ru, SigBUsers};
use acklab_units::Span;

/// A packet that is not known counts as so long.
pub(super) const USUAL: u64 = 1500;
/// The memory of [`Scheduler::ProportionalFair`]: the mean is over about so many exchanges.
const MEMORY: f64 = 100.0;

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
    fn backlog(&self, m: &Medium, member: usize, direction: usize, category: u8) -> u64 {
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
    /// With `may_be_one` a single one is a choice, too; otherwise `None` means that serving one after the
    /// other is better.
    pub(super) fn choose(
        &mut self,
        m: &mut Medium,
        (direction, category): (usize, u8),
        at_most: u16,
        may_be_one: bool,
    ) -> Option<Ru> {
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
        let width = ready.first().and_then(|i| self.mode_of(m, *i, direction));
        let width = width.map(|mode| mode.width());
        ready.retain(|i| self.mode_of(m, *i, direction).map(|mode| mode.width()) == width);
        self.ready = ready;
        let width = width?;
        let most = (self.ready.len() as u32).min(u32::from(at_most));
        let (mut ru, mut count) = Ru::filling(most, width);
        if self.config.scheduler == Scheduler::Backlog {
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
        if count < 2 && !may_be_one {
            return None;
        }
        if self.config.falls_back && count >= 2 && !may_be_one {
            let together = self.rate_of(m, (direction, category), count as usize, ru);
            if together <= self.rate_of_singles(m, (direction, category)) {
                return None;
            }
        }
        if let Some(last) = self.ready.last() {
            self.turns[direction] = (last + 1) % n;
        }
        Some(ru)
    }

    /// Waiting for the medium: an AIFS and half of the smallest contention window.
    fn access(m: &Medium, category: u8) -> Span {
        let edca = m.stations[0].categories[usize::from(category)].config;
        m.phy.aifs(edca.aifsn) + m.phy.slot() * u64::from(edca.cw_min / 2)
    }

    /// Bytes per second if the first `users` of those who are ready are served at once on `ru` each.
    fn rate_of(&self, m: &Medium, (direction, category): (usize, u8), users: usize, ru: Ru) -> f64 {
        let (mut bytes, mut symbols, mut symbol) = (0, 0, Span::ZERO);
        let (mut around, mut control) = (Span::ZERO, m.phy.slowest());
        for i in self.ready.iter().take(users) {
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
                    let sig = SigBUsers::even(mode.width(), users as u32);
                    m.phy
                        .mu_preamble(sig, self.sig_b(mode), mode.streams(), guard)
                }
            };
            (symbol, control) = (timing.symbol(), sending.control);
            let most = symbols_within(m, on_ru, longest(m, on_ru), around);
            let waits = self.backlog(m, *i, direction, category);
            let overhead = m.ports[port.0 as usize].config.aggregation.overhead;
            let psdu = psdu_of(waits, overhead).min(u64::from(timing.bytes_in(most)));
            bytes += waits.min(psdu);
            symbols = symbols.max(timing.symbols(psdu as u32));
        }
        let data = around + symbol * u64::from(symbols);
        let short = m.phy.duration(control, sizes::block_ack(64));
        let exchange = match direction {
            // The Trigger frame and the answer.
            UP => data + short * 2 + m.phy.sifs() * 2,
            _ => data + m.phy.sifs() + short * 2,
        };
        rate(bytes, Self::access(m, category) + exchange)
    }

    /// Bytes per second if those who are ready are served one after the other, each over the whole channel.
    fn rate_of_singles(&self, m: &Medium, (direction, category): (usize, u8)) -> f64 {
        let (mut bytes, mut time) = (0, Span::ZERO);
        for i in &self.ready {
            let Some(port) = self.way(*i, direction) else {
                continue;
            };
            let way = &m.ports[port.0 as usize];
            let timing = m.phy.timing(way.sending.mode);
            let longest = longest(m, way.sending.mode);
            let waits = self.backlog(m, *i, direction, category);
            let most = timing.max_psdu(longest).min(way.config.aggregation.ampdu);
            let psdu = psdu_of(waits, way.config.aggregation.overhead).min(u64::from(most));
            bytes += waits.min(psdu);
            time += Self::access(m, category) + timing.duration(psdu as u32);
            time += m.phy.sifs() + way.sending.block_ack;
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
            let got = rate(u64::from(bytes), lasted);
            let mean = &mut member.served[direction];
            *mean += (got - *mean) / MEMORY;
        }
    }
}

fn rate(bytes: u64, time: Span) -> f64 {
    if time.is_zero() {
        return 0.0;
    }
    bytes as f64 / time.as_secs_f64()
}
