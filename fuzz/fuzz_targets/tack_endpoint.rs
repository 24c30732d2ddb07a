//! See `acklab_fuzz_targets::tack_endpoint`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::tack_endpoint::run(bytes));
