//! What is on the air, who hears it, and who can read it.
//!
//! A PPDU is read by its receiver unless the receiver transmits itself or hears another PPDU at the
//! same time. Those who merely hear it set their NAV from what they can read and wait for an EIFS
//! after what they cannot (10.3.2.3.7, 10.3.2.4).

use super::hearing::{Hearing, Matrix};
use super::ledger::Ledger;
use super::{StationId, Use};
use crate::wifi::contention::{Contention, GroundId};
use crate::wifi::mac::{Bitmap, MpduRef};
use crate::wifi::phy::Mode;
use acklab_units::{Instant, Span};
use alloc::vec::Vec;

/// What a PPDU is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum PpduKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// MPDUs with data.
    Data,
    /// Block Ack Request.
    BlockAckRequest,
    /// ACK.
    Ack,
    /// Block Ack.
    BlockAck,
}

impl PpduKind {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rts => "rts",
            Self::Cts => "cts",
            Self::Data => "data",
            Self::BlockAckRequest => "bar",
            Self::Ack => "ack",
            Self::BlockAck => "block_ack",
        }
    }
}

/// A PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ppdu {
    /// What it is.
    pub kind: PpduKind,
    /// Who sends it.
    pub from: StationId,
    /// For whom.
    pub to: StationId,
    /// Whose exchange it belongs to.
    pub holder: StationId,
    /// Access category of that, by number.
    pub category: u8,
    /// How it is sent.
    pub mode: Mode,
    /// First instant on the air.
    pub start: Instant,
    /// First instant after it.
    pub end: Instant,
    /// Until when those who can read it, and for whom it is not, let the exchange go on.
    pub nav: Instant,
    /// Bytes of the PSDU.
    pub bytes: u32,
    /// MPDUs in it.
    pub mpdus: u16,
    /// Compressed transport ACKs in it ([`super::CarriedAcks`]).
    pub carried: u16,
    /// What its time is booked as.
    pub use_of: Use,
    /// The receiver cannot read it for another's sake.
    pub garbled: bool,
    /// The receiver could read nothing of it, though it heard no other; known when it has ended.
    pub lost: bool,
}

/// What is in a PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frames<'a> {
    /// MPDUs with data, in the order of their numbers.
    Mpdus(&'a [MpduRef]),
    /// A BlockAckReq from that number on.
    Request(u16),
    /// A Block Ack: a first number, and what was received from there on.
    BlockAck(u16, Bitmap),
    /// RTS, CTS or ACK, which have nothing in them.
    Control,
}

/// What the stations of a ground hear.
#[derive(Clone, Debug, Default)]
struct Ears {
    /// PPDUs.
    hears: u16,
    /// More than one at once, since the air was last free.
    garbled: bool,
    /// Since when nothing is heard, if nothing is.
    quiet: Instant,
    /// When the latest PPDU began that is or was heard.
    started: Instant,
    /// End of the latest reservation.
    nav: Instant,
    /// Those that are not over.
    reservations: Vec<Reservation>,
}

/// What a frame that could be read asked others to leave to an exchange.
#[derive(Clone, Copy, Debug)]
struct Reservation {
    until: Instant,
    from: StationId,
    to: StationId,
}

impl Ears {
    /// Sets the NAV.
    fn reserve(&mut self, ppdu: &Ppdu) {
        self.nav = self.nav.max(ppdu.nav);
        self.reservations.retain(|r| r.until > ppdu.end);
        if ppdu.nav > ppdu.end {
            self.reservations.push(Reservation {
                until: ppdu.nav,
                from: ppdu.from,
                to: ppdu.to,
            });
        }
    }

    /// An RTS that ended at `end` reserved the air until `until`, and its answer and what that would
    /// have let follow are overdue: unless something has begun since, the NAV is what it would be
    /// without (10.3.2.4). Says whether that is less.
    fn give_back(&mut self, from: StationId, end: Instant, until: Instant) -> bool {
        if self.started >= end {
            return false;
        }
        let before = self.nav;
        self.reservations
            .retain(|r| (r.from, r.until) != (from, until));
        let rest = self.reservations.iter().map(|r| r.until);
        self.nav = rest.max().unwrap_or(end);
        self.nav < before
    }

    /// What binds `station` at `now`: a reservation binds neither of those it was made between
    /// (10.3.2.4).
    fn binding(&self, now: Instant, station: StationId) -> impl Iterator<Item = &Reservation> {
        let binds = move |r: &&Reservation| r.until > now && r.from != station && r.to != station;
        self.reservations.iter().filter(binds)
    }
}

/// The air.
#[derive(Debug)]
pub(super) struct Air {
    hearing: Hearing,
    ears: Vec<Ears>,
    /// Where the time of stations goes.
    pub ledger: Ledger,
    /// By number; places of PPDUs that have ended are used again.
    ppdus: Vec<Option<Ppdu>>,
    on_air: u32,
    /// EIFS - DIFS.
    eifs_extra: Span,
    /// Who sends beside whom; kept for its place in memory.
    others: Vec<StationId>,
}

impl Air {
    pub fn new(hearing: Hearing, eifs_extra: Span) -> Self {
        let grounds = hearing.grounds();
        Self {
            ears: alloc::vec![Ears::default(); usize::from(grounds)],
            ledger: Ledger::new(grounds, hearing.of_stations()),
            hearing,
            ppdus: Vec::new(),
            on_air: 0,
            eifs_extra,
            others: Vec::new(),
        }
    }

    pub fn ground(&self, station: StationId) -> GroundId {
        self.hearing.ground(station)
    }

    /// Whether nobody transmits.
    pub fn is_free(&self) -> bool {
        self.on_air == 0
    }

    /// Who hears whom from now on, where stations move.
    ///
    /// # Panics
    /// In debug builds if somebody transmits: whoever hears the beginning of a PPDU hears its end.
    pub fn change(&mut self, hears: &Matrix) {
        debug_assert!(self.is_free(), "who hears a PPDU changes while it lasts");
        self.hearing.change(hears);
    }

    /// What the PPDU on the air is for that began last.
    pub fn latest_use(&self) -> Option<Use> {
        if self.on_air == 0 {
            return None;
        }
        let latest = self.ppdus.iter().flatten().max_by_key(|p| p.start);
        latest.map(|p| p.use_of)
    }

    /// Whether `station` transmits.
    pub fn is_sending(&self, station: StationId) -> bool {
        self.sent_by(station).is_some()
    }

    /// What `station` transmits.
    pub fn sent_by(&self, station: StationId) -> Option<&Ppdu> {
        self.ppdus.iter().flatten().find(|p| p.from == station)
    }

    /// Whether some PPDU on the air cannot be read by its receiver for another's sake.
    pub fn is_garbled(&self) -> bool {
        self.on_air > 0 && self.ppdus.iter().flatten().any(|p| p.garbled)
    }

    /// Whether `station` is bound to be silent by a NAV that an exchange of others has set.
    pub fn is_reserved(&self, now: Instant, station: StationId) -> bool {
        self.ears(station).binding(now, station).next().is_some()
    }

    /// The PPDU of that number, which is on the air.
    pub fn ppdu(&self, number: u32) -> Ppdu {
        self.ppdus[number as usize].expect("what is read is on the air")
    }

    /// Whether the PPDU of that number, if it is an RTS, may be answered as far as the NAV is
    /// concerned: it is idle, or was set by the one that asks (10.3.2.9).
    pub fn may_answer(&self, now: Instant, number: u32) -> bool {
        let ppdu = self.ppdus[number as usize].expect("what ends has begun");
        let mut binding = self.ears(ppdu.to).binding(now, ppdu.to);
        binding.all(|r| r.from == ppdu.from)
    }

    /// NAVTimeout after an RTS of `from` that ended at `end` and reserved the air until `until`: who
    /// heard nothing since is free.
    pub fn on_nav_timeout(
        &mut self,
        now: Instant,
        (from, end, until): (StationId, Instant, Instant),
        contention: &mut Contention,
    ) {
        for ground in &self.hearing.audience[usize::from(from.0)] {
            let ears = &mut self.ears[usize::from(ground.0)];
            if ears.give_back(from, end, until) {
                debug_assert_eq!(ears.hears, 0, "what is heard has begun");
                contention.on_idle(*ground, now.max(ears.nav), Span::ZERO);
                self.ledger.on_silence(now, *ground, ears.nav);
            }
        }
    }

    /// Until when `station` has to be silent if every reservation that it heard binds it.
    pub fn nav(&self, station: StationId) -> Instant {
        self.ears(station).nav
    }

    /// EIFS - DIFS.
    pub fn eifs_extra(&self) -> Span {
        self.eifs_extra
    }

    /// Since when `station` hears nothing.
    pub fn quiet_since(&self, station: StationId) -> Instant {
        self.ears(station).quiet
    }

    /// Puts `ppdu` on the air. Where a receiver hears others at the same time, `captures(ppdu, others)`
    /// says whether it reads that PPDU in spite of what they send.
    pub fn begin(
        &mut self,
        ppdu: Ppdu,
        contention: &mut Contention,
        captures: impl FnMut(&Ppdu, &[StationId]) -> bool,
    ) -> u32 {
        for ground in &self.hearing.audience[usize::from(ppdu.from.0)] {
            let ears = &mut self.ears[usize::from(ground.0)];
            ears.hears += 1;
            ears.started = ppdu.start;
            ears.garbled |= ears.hears > 1;
            contention.on_busy(ppdu.start, *ground);
            self.ledger.on_heard(ppdu.start, *ground);
        }
        self.on_air += 1;
        let number = self.place(ppdu);
        if self.on_air > 1 {
            self.spoil(number, captures);
        }
        number
    }

    /// The PPDU of that number has begun while others are on the air: what can no longer be read.
    fn spoil(&mut self, number: u32, mut captures: impl FnMut(&Ppdu, &[StationId]) -> bool) {
        let Self {
            hearing,
            ppdus,
            others,
            ..
        } = self;
        let newest = ppdus[number as usize].map(|p| p.from);
        for i in 0..ppdus.len() {
            let Some(p) = ppdus[i].filter(|p| !p.garbled) else {
                continue;
            };
            let disturbs = |from: StationId| p.to == from || hearing.hears(p.to, from);
            if i != number as usize && !newest.is_some_and(disturbs) {
                continue;
            }
            let beside = ppdus.iter().enumerate().filter(|(j, _)| *j != i);
            let senders = beside.filter_map(|(_, o)| o.as_ref()).map(|o| o.from);
            others.clear();
            others.extend(senders.filter(|from| disturbs(*from)));
            let spoilt = !others.is_empty() && (others.contains(&p.to) || !captures(&p, others));
            if let Some(p) = &mut ppdus[i] {
                p.garbled = spoilt;
            }
        }
    }

    /// Takes the PPDU of that number off the air.
    pub fn end(&mut self, number: u32, contention: &mut Contention) -> Ppdu {
        let ppdu = self.ppdus[number as usize].take();
        let ppdu = ppdu.expect("what ends has begun");
        self.on_air -= 1;
        for ground in &self.hearing.audience[usize::from(ppdu.from.0)] {
            let ears = &mut self.ears[usize::from(ground.0)];
            ears.hears -= 1;
            if !ears.garbled {
                ears.reserve(&ppdu);
            }
            if ears.hears == 0 {
                let extra = if ears.garbled {
                    self.eifs_extra
                } else {
                    Span::ZERO
                };
                ears.garbled = false;
                ears.quiet = ppdu.end;
                contention.on_idle(*ground, ppdu.end.max(ears.nav), extra);
                self.ledger.on_silence(ppdu.end, *ground, ears.nav);
            }
        }
        ppdu
    }

    fn ears(&self, station: StationId) -> &Ears {
        &self.ears[usize::from(self.hearing.ground(station).0)]
    }

    fn place(&mut self, ppdu: Ppdu) -> u32 {
        let free = self.ppdus.iter().position(Option::is_none);
        let number = free.unwrap_or(self.ppdus.len());
        if free.is_none() {
            self.ppdus.push(None);
        }
        self.ppdus[number] = Some(ppdu);
        number as u32
    }
}
