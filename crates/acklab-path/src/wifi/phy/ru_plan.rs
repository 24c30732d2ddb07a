//! A division of an HE channel into resource units of several sizes (27.3.2.2 and table 27-26 of 802.11ax).

use super::{Ru, SigBUsers, Width};
use core::cmp::Reverse;
use core::fmt;

/// As many units of 26 tones as 160 MHz have.
const MOST: usize = 74;
/// Places for units of 26 tones in 20 MHz; the one in the middle belongs to neither half.
const PLACES: usize = 9;
const MIDDLE: usize = 4;

/// The resource units of a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RuPlan {
    width: Width,
    count: u8,
    /// In the order of their frequencies.
    listed: [Ru; MOST],
    /// The largest first.
    sorted: [Ru; MOST],
    sig_b: SigBUsers,
}

/// Why resource units are no division of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoPlan {
    /// The first so many have their places, and the next one has none.
    Misfit(usize),
    /// All have their places, and part of the channel is left.
    Gap,
}

impl RuPlan {
    /// `units` in the order of their frequencies.
    ///
    /// # Errors
    /// If the standard has no such division: units have fixed places and fill the channel. Only the unit of 26 tones
    /// in the middle of 20 MHz may be left out, between halves of larger ones, and the one in the middle of 80 MHz.
    pub fn of(width: Width, units: &[Ru]) -> Result<Self, NoPlan> {
        let eighties = (1_u32 << width as u32) / 4;
        // Which of the units in the middle of 80 MHz there are is not said: each way is tried.
        let ways = (0..1_u32 << eighties).map(|middles| Places::new(width, middles).take(units));
        let mut reason = NoPlan::Misfit(0);
        for way in ways {
            match (way, reason) {
                (Ok(sig_b), _) => return Ok(Self::new(width, units, sig_b)),
                (Err(NoPlan::Misfit(n)), NoPlan::Misfit(most)) => {
                    reason = NoPlan::Misfit(n.max(most))
                }
                (Err(NoPlan::Gap), _) => reason = NoPlan::Gap,
                (Err(NoPlan::Misfit(_)), NoPlan::Gap) => {}
            }
        }
        Err(reason)
    }

    fn new(width: Width, units: &[Ru], sig_b: SigBUsers) -> Self {
        let mut listed = [Ru::Tones26; MOST];
        listed[..units.len()].copy_from_slice(units);
        let mut sorted = listed;
        sorted[..units.len()].sort_by_key(|ru| Reverse(ru.tones()));
        Self {
            width,
            count: units.len() as u8,
            listed,
            sorted,
            sig_b,
        }
    }

    /// A division of a channel of that width, for an error message.
    pub const fn example(width: Width) -> &'static [Ru] {
        use Ru::{Tones26, Tones106, Tones242, Tones484, Tones996};
        const ALL: [Ru; 6] = [Tones996, Tones484, Tones242, Tones106, Tones26, Tones106];
        ALL.split_at(3 - width as usize).1
    }

    /// The width of the channel.
    pub const fn width(&self) -> Width {
        self.width
    }

    /// The units in the order of their frequencies.
    pub fn listed(&self) -> &[Ru] {
        &self.listed[..usize::from(self.count)]
    }

    /// The units, the largest first.
    pub fn sorted(&self) -> &[Ru] {
        &self.sorted[..usize::from(self.count)]
    }

    /// The users of HE-SIG-B: each unit has a field there, whether it carries something or not (27.3.11.8.4).
    pub const fn sig_b(&self) -> SigBUsers {
        self.sig_b
    }
}

impl fmt::Debug for RuPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tones = self.listed().iter().map(|ru| ru.tones());
        write!(f, "{} of ", self.width)?;
        f.debug_list().entries(tones).finish()
    }
}

/// The places of a channel from below, while units take them.
struct Places {
    width: Width,
    /// A bit for each 80 MHz: the unit in its middle is there.
    middles: u32,
    /// The 20 MHz that are being divided, and the next place in them.
    segment: usize,
    place: usize,
    /// There, units of 26 tones have places; the one in the middle was left out.
    small: bool,
    skipped: bool,
    /// User fields in the content channels of HE-SIG-B.
    users: [u32; 2],
}

impl Places {
    fn new(width: Width, middles: u32) -> Self {
        Self {
            width,
            middles,
            segment: 0,
            place: 0,
            small: false,
            skipped: false,
            users: [0; 2],
        }
    }

    /// Segments of 20 MHz.
    fn segments(&self) -> usize {
        1 << self.width as usize
    }

    fn take(mut self, units: &[Ru]) -> Result<SigBUsers, NoPlan> {
        let mut left = units.iter().copied().enumerate();
        while self.segment < self.segments() {
            let (i, ru) = left.next().ok_or(NoPlan::Gap)?;
            self.take_one(ru).ok_or(NoPlan::Misfit(i))?;
            if self.is_before_middle() {
                let (i, ru) = left.next().ok_or(NoPlan::Gap)?;
                if ru != Ru::Tones26 {
                    return Err(NoPlan::Misfit(i));
                }
                self.users[self.segment / 4] += 1;
            }
        }
        match left.next() {
            Some((i, _)) => Err(NoPlan::Misfit(i)),
            None => Ok(SigBUsers::of(self.width, self.users)),
        }
    }

    /// Whether the next place is that in the middle of 80 MHz, which somebody has.
    fn is_before_middle(&self) -> bool {
        let half = self.segment % 4 == 2 && self.place == 0;
        self.width >= Width::Mhz80 && half && self.has_middle()
    }

    fn has_middle(&self) -> bool {
        self.middles >> (self.segment / 4) & 1 == 1
    }

    /// The next unit takes its place, if it has one there.
    fn take_one(&mut self, ru: Ru) -> Option<()> {
        match ru {
            Ru::Tones26 | Ru::Tones52 | Ru::Tones106 => self.take_part(ru),
            Ru::Tones242 => self.take_whole(1),
            Ru::Tones484 => self.take_whole(2),
            Ru::Tones996 if self.has_middle() => None,
            Ru::Tones996 => self.take_whole(4),
            Ru::Tones1992 if self.middles > 0 => None,
            Ru::Tones1992 => self.take_whole(8),
        }
    }

    /// Whole segments, aligned to their number. A user field of several goes to the shorter content channel.
    fn take_whole(&mut self, segments: usize) -> Option<()> {
        let fits = self.place == 0 && self.segment.is_multiple_of(segments);
        if !fits || self.segment + segments > self.segments() {
            return None;
        }
        let channel = match segments {
            1 => self.channel(),
            _ => usize::from(self.users[0] > self.users[1]),
        };
        self.users[channel] += 1;
        self.segment += segments;
        Some(())
    }

    /// The content channels alternate over 20 MHz (27.3.11.8.1).
    fn channel(&self) -> usize {
        self.segment % 2
    }

    fn take_part(&mut self, ru: Ru) -> Option<()> {
        let places = match ru {
            Ru::Tones26 => 1,
            Ru::Tones52 => 2,
            _ => 4,
        };
        if ru == Ru::Tones26 {
            self.small = true;
        } else if self.place == MIDDLE && !self.small {
            self.skipped = true;
            self.place += 1;
        }
        // From the middle of the channel on, places count anew.
        let own = match self.place {
            below @ ..MIDDLE => below,
            MIDDLE => usize::from(places > 1),
            above => above - MIDDLE - 1,
        };
        if !own.is_multiple_of(places) || (self.skipped && self.small) {
            return None;
        }
        self.users[self.channel()] += 1;
        self.place += places;
        if self.place == PLACES {
            (self.segment, self.place) = (self.segment + 1, 0);
            (self.small, self.skipped) = (false, false);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    const WIDTHS: [Width; 4] = [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160];

    fn plan(width: Width, tones: &[u32]) -> Result<RuPlan, NoPlan> {
        let units: Vec<_> = tones.iter().map(|t| Ru::from_tones(*t).unwrap()).collect();
        RuPlan::of(width, &units)
    }

    /// The divisions of 20 MHz in table 27-26.
    const TABLE: [&[u32]; 27] = [
        &[26, 26, 26, 26, 26, 26, 26, 26, 26],
        &[26, 26, 26, 26, 26, 26, 26, 52],
        &[26, 26, 26, 26, 26, 52, 26, 26],
        &[26, 26, 26, 26, 26, 52, 52],
        &[26, 26, 52, 26, 26, 26, 26, 26],
        &[26, 26, 52, 26, 26, 26, 52],
        &[26, 26, 52, 26, 52, 26, 26],
        &[26, 26, 52, 26, 52, 52],
        &[52, 26, 26, 26, 26, 26, 26, 26],
        &[52, 26, 26, 26, 26, 26, 52],
        &[52, 26, 26, 26, 52, 26, 26],
        &[52, 26, 26, 26, 52, 52],
        &[52, 52, 26, 26, 26, 26, 26],
        &[52, 52, 26, 26, 26, 52],
        &[52, 52, 26, 52, 26, 26],
        &[52, 52, 26, 52, 52],
        &[52, 52, 106],
        &[106, 52, 52],
        &[26, 26, 26, 26, 26, 106],
        &[26, 26, 52, 26, 106],
        &[52, 26, 26, 26, 106],
        &[52, 52, 26, 106],
        &[106, 26, 26, 26, 26, 26],
        &[106, 26, 26, 26, 52],
        &[106, 26, 52, 26, 26],
        &[106, 26, 52, 52],
        &[106, 106],
    ];
    const MORE: [&[u32]; 3] = [&[52, 52, 52, 52], &[106, 26, 106], &[242]];

    /// Every list of units that together have no more tones than 20 MHz is a division if, and only if, it is in the
    /// table.
    #[test]
    fn twenty_megahertz_are_divided_as_the_table_has_it() {
        let mut lists: Vec<Vec<u32>> = std::vec![Vec::new()];
        let mut fit = 0;
        while let Some(list) = lists.pop() {
            if plan(Width::Mhz20, &list).is_ok() {
                let known = TABLE.iter().chain(&MORE).any(|t| **t == list[..]);
                assert!(known, "{list:?}");
                fit += 1;
            }
            let tones: u32 = list.iter().sum();
            for more in [26, 52, 106, 242] {
                if tones + more <= 242 {
                    lists.push(list.iter().copied().chain([more]).collect());
                }
            }
        }
        assert_eq!(fit, TABLE.len() + MORE.len());
    }

    #[test]
    fn wide_channels_have_aligned_units_and_one_in_the_middle() {
        for (width, fits, tones) in [
            (Width::Mhz40, true, &[242, 242][..]),
            (Width::Mhz40, true, &[484]),
            (Width::Mhz40, true, &[106, 26, 106, 242]),
            (Width::Mhz40, false, &[242, 26, 242]),
            (Width::Mhz80, true, &[484, 26, 484]),
            (Width::Mhz80, true, &[242, 242, 26, 242, 242]),
            (Width::Mhz80, true, &[484, 484]),
            (Width::Mhz80, true, &[996]),
            (Width::Mhz80, false, &[242, 484, 242]),
            (Width::Mhz80, false, &[996, 26]),
            (Width::Mhz160, true, &[1992]),
            (Width::Mhz160, true, &[996, 484, 26, 484]),
            (Width::Mhz160, true, &[484, 26, 484, 996]),
            (Width::Mhz160, false, &[996, 1992]),
        ] {
            assert_eq!(plan(width, tones).is_ok(), fits, "{width} {tones:?}");
        }
        for (width, most) in WIDTHS.into_iter().zip([9, 18, 37, 74]) {
            assert!(RuPlan::of(width, &[Ru::Tones26; MOST][..most]).is_ok());
            // No more than the middles of two 80 MHz may be missing.
            assert!(RuPlan::of(width, &[Ru::Tones26; MOST][..most - 3]).is_err());
            assert!(RuPlan::of(width, RuPlan::example(width)).is_ok());
        }
    }

    #[test]
    fn a_misfit_is_named() {
        let told = |width, tones: &[u32]| plan(width, tones).unwrap_err();
        assert_eq!(told(Width::Mhz20, &[484]), NoPlan::Misfit(0));
        assert_eq!(told(Width::Mhz20, &[26, 52]), NoPlan::Misfit(1));
        assert_eq!(told(Width::Mhz20, &[106, 26, 106, 26]), NoPlan::Misfit(3));
        assert_eq!(told(Width::Mhz20, &[106, 26]), NoPlan::Gap);
        assert_eq!(told(Width::Mhz20, &[]), NoPlan::Gap);
        assert_eq!(told(Width::Mhz80, &[484, 26, 26]), NoPlan::Gap);
    }

    /// Content channels by hand: 20 MHz have one; of 80 MHz the first has the first and third 20 MHz and the middle.
    #[test]
    fn user_fields_are_in_the_content_channel_of_their_frequency() {
        let sig = |width, tones: &[u32]| plan(width, tones).unwrap().sig_b();
        let of = SigBUsers::of;
        assert_eq!(sig(Width::Mhz20, &[106, 26, 106]), of(Width::Mhz20, [3, 0]));
        let forty = sig(Width::Mhz40, &[242, 106, 26, 106]);
        assert_eq!(forty, of(Width::Mhz40, [1, 3]));
        let eighty = sig(Width::Mhz80, &[106, 26, 106, 242, 26, 242, 242]);
        assert_eq!(eighty, of(Width::Mhz80, [5, 2]));
        assert_eq!(sig(Width::Mhz80, &[484, 26, 484]), of(Width::Mhz80, [2, 1]));
    }

    proptest! {
        /// No division takes more tones than the channel has, and none leaves more than the middles.
        #[test]
        fn a_division_fills_its_channel(
            width in 0usize..4,
            sizes in proptest::collection::vec(0usize..6, 1..40),
        ) {
            let width = WIDTHS[width];
            let units: Vec<_> = sizes.iter().map(|i| Ru::ALL[*i]).collect();
            // A beginning that fits is as good as one that does not.
            for n in 1..=units.len() {
                if let Ok(plan) = RuPlan::of(width, &units[..n]) {
                    let tones: u32 = plan.listed().iter().map(|ru| ru.tones()).sum();
                    let all = Ru::whole(width).tones();
                    let middles = 26 * (1 << width as u32) + 26 * 2;
                    prop_assert!(tones <= all && tones + middles + 8 * 16 >= all, "{plan:?}");
                    prop_assert!(plan.sorted().is_sorted_by_key(|ru| Reverse(ru.tones())));
                }
            }
        }
    }
}
