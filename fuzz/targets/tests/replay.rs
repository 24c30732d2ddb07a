//! Every kept corpus, and noise: what a fuzzer found once stays found.

use acklab_fuzz_targets::TARGETS;
use acklab_proto::rng::{RngCore, stream};
use std::fs;
use std::path::Path;

#[test]
fn kept_inputs_replay() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    for (name, run) in TARGETS {
        let files = fs::read_dir(root.join(name)).expect("each target keeps a corpus");
        let mut paths: Vec<_> = files.map(|f| f.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{name} has no corpus");
        for path in paths {
            let input = fs::read(&path).unwrap();
            let outcome = std::panic::catch_unwind(|| run(&input));
            assert!(outcome.is_ok(), "{name} fails on {}", path.display());
        }
    }
}

#[test]
fn noise_is_survived() {
    for (name, run) in TARGETS {
        let mut rng = stream(1, name);
        for _ in 0..40 {
            let mut input = vec![0; (rng.next_u32() % 600) as usize];
            rng.fill_bytes(&mut input);
            run(&input);
        }
    }
}
