//! The `sync-hub` command. Everything is in the library.

/// For Rust and, as it takes the place of the C library's, for SQLite too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    sync_hub::cli::main()
}
