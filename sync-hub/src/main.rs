//! The `sync-hub` command. Everything is in the library.

fn main() -> std::process::ExitCode {
    sync_hub::cli::main()
}
