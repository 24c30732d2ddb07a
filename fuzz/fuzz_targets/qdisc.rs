//! See `acklab_fuzz_targets::qdisc`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::qdisc::run(bytes));
