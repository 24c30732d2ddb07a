//! See `acklab_fuzz_targets::segments`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::segments::run(bytes));
