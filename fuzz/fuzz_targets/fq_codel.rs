//! See `acklab_fuzz_targets::fq_codel`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| acklab_fuzz_targets::fq_codel::run(bytes));
