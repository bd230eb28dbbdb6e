//! The `batch-solve` command.

use batch_solve::cli::{self, Exit, Screen};
use batch_solve::memory::limits;
use std::{env, panic, process::ExitCode};

fn main() -> ExitCode {
    if !processor_suffices() {
        Screen::default().error(
            "this build is for processors with AVX2 and BMI2 (build it with RUSTFLAGS set to '' for others)",
        );
        return Exit::Failed.into();
    }
    limits::limit_malloc_arenas();
    // Where it cannot be changed, the signal does what it always did.
    let _ = cli::report_file_size_limit();
    // A panic anywhere, also in a worker that is joined, ends here: lines that
    // were written are whole, and the status says that something is wrong.
    let exit = panic::catch_unwind(|| cli::run(env::args_os())).unwrap_or_else(|_| {
        Screen::default().error("this is a bug in batch-solve; results written so far are complete lines");
        Exit::Failed
    });
    exit.into()
}

/// Whether the processor has what this build was made for. The standard
/// library's own test is answered when compiling.
fn processor_suffices() -> bool {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        const AVX2_AND_BMI2: u32 = 1 << 5 | 1 << 8;
        __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx & AVX2_AND_BMI2 == AVX2_AND_BMI2
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    true
}
