//! A program whose console is read while it runs: what a person in front of the box would see. Killed by its own handle only.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long something may take to show.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running program and what it has printed so far.
pub struct Console {
    child: Child,
    text: Arc<Mutex<String>>,
}

impl Console {
    /// Starts `command`.
    pub fn start(command: &mut Command) -> Console {
        let child = command.env("RUST_LOG", "warn").stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn();
        let mut child = child.unwrap();
        let (text, lines) = (Arc::<Mutex<String>>::default(), BufReader::new(child.stdout.take().unwrap()));
        let keep = Arc::clone(&text);
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                keep.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        Console { child, text }
    }

    /// What was printed.
    pub fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    /// The first line with `words` in it, once it is printed.
    pub async fn line(&mut self, words: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(line) = self.text().lines().find(|line| line.contains(words)) {
                return line.trim().to_owned();
            }
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "it ended: {ended:?}\n{}", self.text());
            assert!(Instant::now() < deadline, "{words:?} does not show:\n{}", self.text());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks again and again until `look` finds something.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "not within a minute: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
