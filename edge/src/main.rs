//! The `edge` command. Everything is in the library, where tests can reach it.

fn main() -> std::process::ExitCode {
    edge::cli::main()
}
