//! See `acklab_fuzz_targets::live_session`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::live_session::run(bytes));
