//! See `acklab_fuzz_targets::live_packets`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::live_packets::run(bytes));
