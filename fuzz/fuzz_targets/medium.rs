//! See `acklab_fuzz_targets::medium`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::medium::run(bytes));
