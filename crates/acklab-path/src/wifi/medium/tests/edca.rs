//! Saturated access categories against the extension of Bianchi's model by contention zones
//! (Robinson and Randhawa 2004, "Saturation throughput analysis of IEEE 802.11e enhanced distributed
//! coordination function"): beside the window, a category has a number of slots after the shortest
//! AIFS in which it may not count.

use super::*;

/// Stations that contend alike.
#[derive(Clone, Copy, Debug)]
struct Class {
    stations: u16,
    edca: EdcaConfig,
}

const fn class(stations: u16, aifsn: u8, cw_min: u16, cw_max: u16) -> Class {
    let edca = EdcaConfig {
        aifsn,
        cw_min,
        cw_max,
        txop: Span::ZERO,
    };
    Class { stations, edca }
}

/// Bianchi 2000, Eq 7: the probability to transmit at a boundary at which one counts.
fn tau(p: f64, edca: EdcaConfig) -> f64 {
    let w = f64::from(edca.cw_min) + 1.0;
    let m = libm::log2((f64::from(edca.cw_max) + 1.0) / w);
    // The sum over stages, finite at p = 1/2.
    let stages: f64 = (0..m as i32)
        .map(|i| libm::pow(2.0 * p, f64::from(i)))
        .sum();
    2.0 / (w + 1.0 + p * w * stages)
}

/// Frames per second of each class, and the probability that one collides.
///
/// Boundaries are numbered since the medium became idle, and class c takes part from number
/// `aifsn - least` on, so there are as many zones as different spaces. `quiet[k]` is the
/// probability that nobody transmits at number k, `visits[k]` how often it comes in a cycle.
fn zones(classes: &[Class]) -> Vec<(f64, f64)> {
    let least = classes.iter().map(|c| c.edca.aifsn).min().unwrap();
    let first = |c: &Class| usize::from(c.edca.aifsn - least);
    let last = classes.iter().map(first).max().unwrap();
    let mut p = vec![0.1; classes.len()];
    let (mut taus, mut visits, mut quiet) = (vec![], vec![], vec![]);
    for _ in 0..20_000 {
        taus = classes
            .iter()
            .zip(&p)
            .map(|(c, p)| tau(*p, c.edca))
            .collect::<Vec<_>>();
        quiet = (0..=last)
            .map(|k| {
                let there = classes.iter().zip(&taus).filter(|(c, _)| first(c) <= k);
                there
                    .map(|(c, t)| libm::pow(1.0 - t, f64::from(c.stations)))
                    .product::<f64>()
            })
            .collect::<Vec<f64>>();
        visits = vec![1.0; last + 1];
        for k in 1..=last {
            visits[k] = visits[k - 1] * quiet[k - 1];
        }
        visits[last] /= 1.0 - quiet[last];
        for (i, c) in classes.iter().enumerate() {
            let own = first(c)..=last;
            let all: f64 = visits[own.clone()].iter().sum();
            let alone: f64 = own.map(|k| visits[k] * quiet[k] / (1.0 - taus[i])).sum();
            p[i] += 0.05 * (1.0 - alone / all - p[i]);
        }
    }
    // 224 us of data; SIFS and ACK, or EIFS - DIFS; the shortest AIFS.
    let aifs = 16e-6 + 9e-6 * f64::from(least);
    let (success, collision) = (224e-6 + 44e-6 + aifs, 224e-6 + 60e-6 + aifs);
    let sends = |i: usize| {
        let c = &classes[i];
        let tau = taus[i];
        let each: f64 = (first(c)..=last)
            .map(|k| visits[k] * quiet[k] / (1.0 - tau))
            .sum();
        f64::from(c.stations) * tau * each
    };
    let one: f64 = (0..classes.len()).map(sends).sum();
    let idle: f64 = visits.iter().zip(&quiet).map(|(v, q)| v * q).sum();
    let cycle = idle * 9e-6 + one * success + (1.0 - one) * collision;
    (0..classes.len())
        .map(|i| (sends(i) / cycle, p[i]))
        .collect()
}

/// The same on the medium: one frame per exchange, everybody bound by the same spaces after a
/// collision.
fn saturated(classes: &[Class]) -> Vec<(f64, f64)> {
    let edca: Vec<_> = classes
        .iter()
        .flat_map(|c| vec![c.edca; usize::from(c.stations)])
        .collect();
    let n = edca.len() as u16;
    let mut config = cell(n, Aggregation::NONE);
    (config.after_silence, config.retry_limit) = (AfterSilence::Everybody, u8::MAX);
    for (s, e) in config.stations[1..].iter_mut().zip(edca) {
        s.categories[0] = e;
        (s.queue.retry_limit, s.queue.lifetime) = (u8::MAX, None);
    }
    let mut rig = Rig::new(config, 17);
    let ports: Vec<u32> = (0..u32::from(n)).map(|i| 2 * i).collect();
    let bytes = rig.saturate(&ports, 1460, 2, us(60_000_000));
    let mut from = 0;
    classes
        .iter()
        .map(|c| {
            let own = from..from + usize::from(c.stations);
            from = own.end;
            let stats = own
                .clone()
                .map(|s| rig.medium.station_stats(StationId(s as u16 + 1)));
            let (sent, failed) = stats.fold((0, 0), |a, s| (a.0 + s.accesses, a.1 + s.failures));
            let bytes: u64 = bytes[own].iter().sum();
            (bytes as f64 / 60.0 / 1460.0, failed as f64 / sent as f64)
        })
        .collect()
}

/// Frames per second within 5 %, collisions within 0.04.
///
/// A category that gets less than a seventh of the frames is held to 1.5 % of all frames instead.
/// It counts only in the rare long silences, and by how much those are rarer than the model has it
/// shows in full: the model lets everybody draw lots at each boundary independently of the last,
/// while few stations with small windows that have just sent are likely to send soon again. The
/// medium gives the starved less than the model, by 8 to 28 % in these cells.
#[test]
fn categories_against_contention_zones() {
    let cells: &[&[Class]] = &[
        &[class(1, 2, 15, 1023), class(1, 2, 31, 1023)],
        &[class(5, 2, 15, 1023), class(5, 2, 63, 1023)],
        &[class(2, 2, 15, 1023), class(2, 3, 15, 1023)],
        &[class(5, 2, 15, 1023), class(5, 4, 15, 1023)],
        &[class(5, 2, 15, 1023), class(5, 7, 15, 1023)],
        &[class(2, 2, 31, 1023), class(2, 7, 31, 1023)],
        &[class(10, 2, 31, 1023), class(10, 3, 31, 1023)],
        &[class(1, 2, 7, 15), class(3, 3, 15, 1023)],
        &[
            class(2, 2, 7, 15),
            class(2, 3, 15, 1023),
            class(2, 7, 15, 1023),
        ],
    ];
    for classes in cells {
        let (model, medium) = (zones(classes), saturated(classes));
        let all: f64 = model.iter().map(|m| m.0).sum();
        for (c, (m, s)) in classes.iter().zip(model.iter().zip(&medium)) {
            let starved = m.0 < all / 7.0;
            let slack = if starved { 0.015 * all } else { 0.05 * m.0 };
            assert!((s.0 - m.0).abs() < slack, "{c:?}: {s:?} against {m:?}");
            assert!((s.1 - m.1).abs() < 0.04, "{c:?}: {s:?} against {m:?}");
        }
    }
}
