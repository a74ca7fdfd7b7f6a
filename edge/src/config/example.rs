//! The example of a configuration file, made from the table of settings: each with its explanation and its default. Never
//! prints a secret.

use super::{ConfigError, Origin, Resolved, Sources};

/// How long a line of explanation may be.
const COLUMNS: usize = 100;

impl Sources {
    /// A configuration file in which every setting is explained and has its default behind a `#`. What flags or the environment
    /// say otherwise stands there without one.
    ///
    /// # Errors
    /// As [`listing`](Self::listing).
    pub fn example(&self) -> Result<String, ConfigError> {
        let prefix = self.table.prefix;
        let head = format!(
            "Every setting, explained. A line such as #name = \"value\" shows the default: to change it, remove the # and \
             write another value, then restart the server. A setting may also be a flag (--listen) or an environment \
             variable ({prefix}LISTEN); both go before this file. The subcommand \"config\" lists what holds now and where \
             it came from. Passwords and tokens may stand here as long as only root and the server can read the file."
        );
        let mut text = comment(&head);
        for row in self.listing()?.iter().filter(|row| row.setting.flag != "config") {
            text.push('\n');
            text.push_str(&comment(&explanation(row)));
            let is_given = row.origin != Origin::Default && !row.setting.secret;
            let (mark, value) = if is_given { ("", row.shown()) } else { ("#", row.setting.default) };
            text.push_str(&format!("{mark}{} = {}\n", row.setting.key(), toml_value(value)));
        }
        Ok(text)
    }
}

fn explanation(row: &Resolved) -> String {
    let secret = if row.setting.secret { ". A secret" } else { "" };
    let unset = if row.setting.default.is_empty() { ". Not set by default" } else { "" };
    format!("{}{secret}{unset}.", row.setting.help)
}

fn toml_value(text: &str) -> String {
    let is_number = text.parse::<i64>().is_ok();
    if is_number { text.to_owned() } else { toml::Value::String(text.to_owned()).to_string() }
}

/// `text` in lines that begin with `# `.
fn comment(text: &str) -> String {
    let mut lines = vec![String::from("#")];
    for word in text.split_whitespace() {
        let is_full =
            lines.last().is_some_and(|line| line.len() > 1 && line.len() + 1 + word.len() > COLUMNS);
        if is_full {
            lines.push(String::from("#"));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Program};

    #[test]
    fn the_example_says_what_the_defaults_say() {
        let text = Sources::default().example().unwrap();
        let plain: String = text
            .lines()
            .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
            .flat_map(|line| [line, "\n"])
            .collect();
        let from = Sources { file: Some(("edge.toml".into(), plain)), ..Sources::default() };
        Config::resolve(&from).unwrap();
        let rows = from.listing().unwrap();
        assert_eq!(rows.len(), Config::table().settings.len());
        for row in rows.iter().filter(|row| row.setting.flag != "config") {
            assert!(matches!(row.origin, Origin::File(_)), "{} is missing", row.setting.flag);
            let shown = if row.setting.default.is_empty() { "(not set)" } else { row.setting.default };
            assert_eq!(row.shown(), shown);
        }
    }

    #[test]
    fn what_is_given_stands_in_it_except_secrets() {
        let flags = [("listen", "127.0.0.1:1"), ("metrics-token", "0123456789abcdef")];
        let flags = flags.map(|(flag, value)| (flag, value.to_owned())).into();
        let text = Sources { flags, ..Sources::default() }.example().unwrap();
        assert!(text.contains("\nlisten = \"127.0.0.1:1\"\n") && text.contains("\n#metrics_token = \"\"\n"));
        assert!(!text.contains("0123456789abcdef") && text.lines().all(|line| line.len() <= 110));
    }
}
