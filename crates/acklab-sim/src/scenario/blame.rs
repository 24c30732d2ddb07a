//! Which values from outside a mistake in the text follows from: `wifi.standard` set to `b` makes the
//! file's `wifi.ampdu` wrong.

use super::diagnostics::{Diagnostic, Diagnostics, OUTSIDE, clipped};
use std::collections::HashSet;

/// Letters of a key with its value that are shown.
const SHOWN: usize = 160;

/// Of more values it is not looked for: each takes a load.
const MOST: usize = 16;

/// Blames `overrides` for mistakes: each mistake of the text with those overrides without which it would
/// not be there; `mistakes` gives the mistakes with some of them only.
pub(super) fn blame(
    found: Diagnostics,
    overrides: &[(String, String)],
    mistakes: impl Fn(&[(String, String)]) -> Option<Diagnostics>,
) -> Diagnostics {
    // Of a list that was cut, what is missing in another may only have been cut off there.
    let cut = found.iter().count() > super::diagnostics::MOST;
    if cut || overrides.len() > MOST || found.iter().all(|d| d.origin == OUTSIDE) {
        return found;
    }
    let without = (0..overrides.len()).map(|i| {
        let mut others = overrides.to_vec();
        others.remove(i);
        let all = mistakes(&others);
        HashSet::from_iter(all.iter().flatten().cloned())
    });
    let without: Vec<HashSet<Diagnostic>> = without.collect();
    found.map(|mut told| {
        if told.origin != OUTSIDE {
            let gone = without.iter().map(|all| !all.contains(&told));
            let blamed = overrides.iter().zip(gone).filter(|(_, gone)| *gone);
            told.because = blamed
                .map(|((k, v), _)| clipped(format!("{k} = {v}"), SHOWN))
                .collect();
        }
        told
    })
}
