//! See `acklab_fuzz_targets::scenario`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::scenario::run(bytes));
