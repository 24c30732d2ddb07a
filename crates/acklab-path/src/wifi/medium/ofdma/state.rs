//! An access point's state for OFDMA.

use super::super::delivery::Reading;
use super::super::{Medium, PortId, StationId, Use};
use super::OfdmaConfig;
use super::contest::Contest;
use super::uplink::told;
use crate::wifi::mac::{Content, Limits, Psdu};
use crate::wifi::phy::{Mode, PpduTiming};
use acklab_units::{Instant, Span};
use alloc::vec::Vec;
use core::cell::Cell;

/// The PPDU on the air, or the one after the SIFS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in super::super) enum Phase {
    /// Nothing.
    #[default]
    Idle,
    /// Data for several.
    DownData,
    /// The MU-BAR Trigger frame for them.
    DownTrigger,
    /// Their Block Acks, at once.
    DownAnswers,
    /// A BlockAckReq to that user.
    DownRequest(u16),
    /// The Block Ack of that user.
    DownAnswer(u16),
    /// A Trigger frame that asks for buffer status.
    Poll,
    /// The answers to it.
    Reports,
    /// A Trigger frame that asks for data.
    Call,
    /// The data.
    UpData,
    /// The Multi-STA BlockAck.
    UpAnswer,
}

/// A station that can take part.
#[derive(Clone, Debug)]
pub(in super::super) struct Member {
    pub station: StationId,
    pub down: Option<PortId>,
    pub up: Option<PortId>,
    /// Its buffered bytes, as far as the access point knows.
    pub reported: u64,
    /// When it told so.
    pub heard: Instant,
    /// OFDMA backoff and contention window.
    pub obo: u16,
    pub ocw: u16,
    /// Times in a row that it was called and did not answer.
    pub silent: u8,
    /// Mean of what it gets from an exchange, by direction; for [`super::Scheduler::ProportionalFair`].
    pub served: [f64; 2],
    /// By access category: when its MU EDCA timer runs out.
    pub mu_edca: Vec<Option<Instant>>,
}

/// A part of a transmission.
#[derive(Clone, Debug)]
pub(in super::super) struct User {
    /// Number of its [`Member`].
    pub member: usize,
    pub station: StationId,
    /// The way of its data.
    pub port: PortId,
    pub category: u8,
    /// Its resource unit, by number, and the mode on it.
    pub unit: u16,
    pub mode: Mode,
    pub timing: PpduTiming,
    pub limits: Limits,
    pub psdu: Psdu,
    /// Number of its part of what is on the air.
    pub number: u16,
    /// The use that the time of its data is booked as.
    pub use_of: Use,
    /// Bytes of the PSDU, with what goes beside its data.
    pub bytes: u32,
    pub reading: Reading,
    /// It was not called: it takes a resource unit that belongs to nobody, or none.
    pub random: bool,
    /// It takes part in what is on the air.
    pub takes_part: bool,
    /// Its part of what was on the air was read.
    pub heard: bool,
    /// Its data were read in part at least.
    pub read: bool,
    /// Its queue waits for what becomes of them.
    pub open: bool,
    /// Its buffered bytes when its data were put together.
    pub backlog: u64,
}

impl Member {
    /// Whether it is known to have something for the access point.
    pub fn has_data_up(&self) -> bool {
        self.up.is_some() && self.reported > 0
    }

    /// It has told that it has `bytes`.
    pub fn note(&mut self, now: Instant, bytes: u64) {
        (self.reported, self.heard) = (bytes, now);
    }

    /// Whether it has more than a report can tell.
    pub fn has_much(&self) -> bool {
        self.reported >= told(u64::MAX)
    }

    /// The bytes that it can be thought to have: those that it has told, or any number.
    pub fn expected(&self) -> u64 {
        match self.has_much() {
            true => u64::from(u32::MAX),
            false => self.reported,
        }
    }

    /// Whether its MU EDCA timer keeps it from contending, under any category.
    pub fn rests(&self, m: &Medium) -> bool {
        let station = &m.stations[usize::from(self.station.0)];
        self.up.is_some() && station.categories.iter().any(|c| c.rests)
    }
}

impl User {
    /// One whose data go that way, in that mode, up to those limits.
    pub fn new(
        member: usize,
        (station, port): (StationId, PortId),
        (mode, timing): (Mode, PpduTiming),
        limits: Limits,
    ) -> Self {
        Self {
            member,
            station,
            port,
            category: 0,
            unit: 0,
            mode,
            timing,
            limits,
            psdu: Psdu::default(),
            number: 0,
            use_of: Use::Control,
            bytes: 0,
            reading: Reading::default(),
            random: false,
            takes_part: true,
            heard: false,
            read: false,
            open: false,
            backlog: 0,
        }
    }

    /// From which number on a BlockAckReq asks that is its data, or that follows them.
    pub fn requests_from(&self) -> u16 {
        match self.psdu.content {
            Content::Bar(start) => start,
            _ => self.psdu.mpdus.first().map_or(0, |m| m.seq),
        }
    }
}

/// All of it.
#[derive(Debug)]
pub(in super::super) struct Ofdma {
    pub config: OfdmaConfig,
    pub phase: Phase,
    pub members: Vec<Member>,
    /// Of the exchange under way; those beyond `active` are kept for their memory.
    pub users: Vec<User>,
    pub active: usize,
    /// Parts on the air.
    pub on_air: u16,
    /// Number of the last transmission of several users.
    pub bundle: u32,
    /// The member that has the turn, by number: downlink, uplink, polls.
    pub turns: [usize; 3],
    /// The last exchange was for the uplink.
    pub was_up: bool,
    /// Nobody was called for long.
    pub poll_due: bool,
    /// Those who have something are left to contend, since more arrives in that way.
    pub leaves: bool,
    /// A station rests of which nothing is known for long, so that it is asked even while others are called.
    pub must_ask: bool,
    /// The last contests that were reckoned: by direction, without and with the access point.
    pub contests: [[Cell<Option<Contest>>; 2]; 2],
    /// End of the last exchange for the uplink.
    pub last_uplink: Instant,
    /// When the data of the transmission on the air begin.
    pub body: Instant,
    /// Symbols of the HE TB PPDUs that were called for.
    pub symbols: u32,
    /// Numbers of resource units that belong to nobody: from the first on, so many.
    pub random_units: (u16, u16),
    /// Lists that are filled anew each time.
    pub ready: Vec<usize>,
    pub lengths: Vec<(Mode, u32)>,
    /// How long data of this exchange were on the air.
    pub lasted: Span,
    /// Somebody has answered in it.
    pub answered: bool,
}

impl Ofdma {
    /// Those who take part in the exchange.
    pub fn active(&self) -> &[User] {
        &self.users[..self.active]
    }

    /// The same.
    pub fn active_mut(&mut self) -> &mut [User] {
        &mut self.users[..self.active]
    }

    /// One more takes part. The PSDU of whoever had its place before keeps its memory.
    pub fn add(&mut self, mut user: User) {
        match self.users.get_mut(self.active) {
            Some(place) => {
                user.psdu = core::mem::take(&mut place.psdu);
                user.psdu.clear();
                *place = user;
            }
            None => self.users.push(user),
        }
        self.active += 1;
    }

    /// The member that is `station`. They are in the order of their stations.
    pub fn member(&mut self, station: StationId) -> Option<&mut Member> {
        let found = self.members.binary_search_by_key(&station, |m| m.station);
        found.ok().map(|i| &mut self.members[i])
    }
}

/// Directions, as numbers of turns and of what was served.
pub(in super::super) const DOWN: usize = 0;
pub(in super::super) const UP: usize = 1;
pub(in super::super) const POLL: usize = 2;
