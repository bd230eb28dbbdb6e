#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| batch_solve_fuzz::packed(data));
