//! The `edge` command. Everything is in the library, where tests can reach it.

/// For Rust and, as it takes the place of the C library's, for SQLite too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    edge::cli::main()
}
