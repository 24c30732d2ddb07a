//! Which values from outside a mistake in the text follows from: `wifi.standard` set to `b` makes the
//! file's `wifi.ampdu` wrong.

use super::diagnostics::{Diagnostics, OUTSIDE, clipped};

/// Letters of a key with its value that are shown.
const SHOWN: usize = 160;

/// Of more values it is not looked for: each takes a load.
const MOST: usize = 16;

/// What is wrong with `overrides`, each mistake of the text with those of them without which it would
/// not be there; `mistakes` tells what is wrong with some of them only.
pub(super) fn blame(
    found: Diagnostics,
    overrides: &[(String, String)],
    mistakes: impl Fn(&[(String, String)]) -> Option<Diagnostics>,
) -> Diagnostics {
    if overrides.len() > MOST || found.iter().all(|d| d.origin == OUTSIDE) {
        return found;
    }
    let without = (0..overrides.len()).map(|i| {
        let mut others = overrides.to_vec();
        others.remove(i);
        mistakes(&others)
    });
    let without: Vec<Option<Diagnostics>> = without.collect();
    found.map(|mut told| {
        if told.origin != OUTSIDE {
            let stays = |all: &Diagnostics| all.iter().any(|d| *d == told);
            let gone = without.iter().map(|all| !all.as_ref().is_some_and(stays));
            let blamed = overrides.iter().zip(gone).filter(|(_, gone)| *gone);
            told.because = blamed
                .map(|((k, v), _)| clipped(format!("{k} = {v}"), SHOWN))
                .collect();
        }
        told
    })
}
