//! The house's texts as PostgreSQL reads them. They keep to what SQLite and PostgreSQL share but for a few words, which are put
//! into PostgreSQL's here, once for each text. Never looks into a literal, a quoted name or a comment.

use std::collections::HashSet;

/// A text for PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Translated {
    /// The text itself.
    pub sql: String,
    /// The same with every `$n IS NULL` decided, where there is one: such a use tells nothing of the parameter's type and
    /// keeps PostgreSQL from inferring it, so the types are asked for with this text.
    pub typing: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Blanks and comments.
    Space,
    /// A bare word: keyword, name, number.
    Word,
    /// `?1`.
    Param,
    /// `'…'`.
    Text,
    /// `x'…'`.
    Bytes,
    /// `"…"` or anything else.
    Other,
}

#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
}

impl Token<'_> {
    fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// Puts `sql` into PostgreSQL's words.
pub(super) fn translate(sql: &str) -> Translated {
    let tokens = tokens(sql);
    let text = write(&tokens, false);
    let typing = write(&tokens, true);
    Translated { typing: (typing != text).then_some(typing), sql: text }
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = measure(rest, first);
        let (text, after) = rest.split_at(length);
        found.push(Token { kind, text });
        rest = after;
    }
    found
}

/// Kind and length of the token that `rest` begins with.
fn measure(rest: &str, first: char) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let run = |from: usize, wanted: fn(&u8) -> bool| {
        from + bytes.iter().skip(from).take_while(|byte| wanted(byte)).count()
    };
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x80..);
    match first {
        '\'' => (Kind::Text, quoted(bytes, b'\'')),
        '"' => (Kind::Other, quoted(bytes, b'"')),
        'x' | 'X' if bytes.get(1) == Some(&b'\'') => (Kind::Bytes, 1 + quoted(&bytes[1..], b'\'')),
        '?' => (Kind::Param, run(1, u8::is_ascii_digit)),
        '-' if rest.starts_with("--") => (Kind::Space, rest.find('\n').unwrap_or(rest.len())),
        '/' if rest.starts_with("/*") => (Kind::Space, rest.find("*/").map_or(rest.len(), |end| end + 2)),
        _ if first.is_ascii_whitespace() => (Kind::Space, run(0, u8::is_ascii_whitespace)),
        _ if word(&bytes[0]) => (Kind::Word, run(0, word)),
        _ => (Kind::Other, first.len_utf8()),
    }
}

/// Length of what stands between quotes, both included; a doubled quote stands for itself.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte == quote {
            if bytes.get(at) != Some(&quote) {
                return at;
            }
            at += 1;
        }
    }
    bytes.len()
}

/// The tokens as they are read from somewhere on, blanks aside.
struct Ahead<'t, 'a> {
    tokens: &'t [Token<'a>],
}

impl<'t, 'a> Ahead<'t, 'a> {
    fn from(tokens: &'t [Token<'a>], at: usize) -> Self {
        Ahead { tokens: tokens.get(at..).unwrap_or_default() }
    }

    /// The `n`th token that says something, and how many tokens it takes to be past it.
    fn nth(&self, n: usize) -> Option<(&'t Token<'a>, usize)> {
        let mut said = self.tokens.iter().enumerate().filter(|(_, token)| token.kind != Kind::Space);
        said.nth(n).map(|(place, token)| (token, place + 1))
    }

    fn is(&self, n: usize, word: &str) -> bool {
        self.nth(n).is_some_and(|(token, _)| token.is(word))
    }

    fn past(&self, n: usize) -> usize {
        self.nth(n).map_or(self.tokens.len(), |(_, past)| past)
    }

    /// Whether `IS NULL` or `IS NOT NULL` follows, and how many tokens it takes to be past it.
    fn past_null_check(&self) -> Option<usize> {
        let not = usize::from(self.is(1, "NOT"));
        (self.is(0, "IS") && self.is(1 + not, "NULL")).then(|| self.past(1 + not))
    }

    /// Whether the join that begins here has a condition.
    fn joins_on(&self) -> bool {
        let mut depth = 0;
        for token in self.tokens {
            match (token.kind, token.text) {
                (Kind::Other, "(") => depth += 1,
                (Kind::Other, ")") if depth == 0 => return false,
                (Kind::Other, ")") => depth -= 1,
                (Kind::Other, ",") if depth == 0 => return false,
                (Kind::Word, _) if depth > 0 => {}
                (Kind::Word, _) if token.is("ON") => return true,
                (Kind::Word, _) if ENDS_A_JOIN.iter().any(|word| token.is(word)) => return false,
                _ => {}
            }
        }
        false
    }
}

const ENDS_A_JOIN: [&str; 10] =
    ["WHERE", "JOIN", "LEFT", "CROSS", "GROUP", "ORDER", "LIMIT", "UNION", "HAVING", "EXCEPT"];

/// After IS these are no values to compare with.
const STATES: [&str; 5] = ["NULL", "TRUE", "FALSE", "DISTINCT", "UNKNOWN"];

fn write(tokens: &[Token<'_>], for_types: bool) -> String {
    let mut out = String::with_capacity(tokens.iter().map(|token| token.text.len()).sum::<usize>() + 32);
    // The parameters with a use that may tell their type.
    let typed: HashSet<&str> = (0..tokens.len())
        .filter(|at| {
            tokens[*at].kind == Kind::Param && Ahead::from(tokens, at + 1).past_null_check().is_none()
        })
        .map(|at| tokens[at].text)
        .collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let ahead = Ahead::from(tokens, at);
        match token.kind {
            Kind::Param => {
                let elsewhere = typed.contains(token.text);
                match ahead.past_null_check() {
                    Some(past) if for_types && elsewhere => {
                        out.push_str("NULL IS NULL");
                        at += past;
                    }
                    check => {
                        out.push('$');
                        out.push_str(&token.text[1..]);
                        // Any type will do.
                        if check.is_some() && !elsewhere {
                            out.push_str("::text");
                        }
                    }
                }
            }
            Kind::Bytes => {
                out.push_str("'\\x");
                out.push_str(&token.text[2..]);
                out.push_str("::bytea");
            }
            Kind::Word => at += word(token, &ahead, &mut out),
            Kind::Space | Kind::Text | Kind::Other => out.push_str(token.text),
        }
    }
    out
}

/// Writes a word in PostgreSQL's way; answers how many of the tokens after it are written with it.
fn word(token: &Token<'_>, ahead: &Ahead<'_, '_>, out: &mut String) -> usize {
    let upper = token.text.to_ascii_uppercase();
    match upper.as_str() {
        "LIKE" => out.push_str("ILIKE"),
        "GLOB" => out.push_str("<~>"),
        "INDEXED" if ahead.is(0, "BY") => return ahead.past(1),
        "NOT" if ahead.is(0, "INDEXED") => return ahead.past(0),
        "CROSS" if ahead.is(0, "JOIN") && Ahead::from(ahead.tokens, ahead.past(0)).joins_on() => {
            out.push_str("JOIN");
            return ahead.past(0);
        }
        "IS" => {
            let not = usize::from(ahead.is(0, "NOT"));
            out.push_str(token.text);
            if !STATES.iter().any(|state| ahead.is(not, state)) {
                out.push_str(if not == 1 { " DISTINCT FROM" } else { " NOT DISTINCT FROM" });
                return if not == 1 { ahead.past(0) } else { 0 };
            }
        }
        "AS" => {
            let closes = ahead.nth(1).is_some_and(|(token, _)| token.text == ")");
            let named = [("INTEGER", "bigint"), ("REAL", "double precision"), ("BLOB", "bytea")];
            if let Some((_, name)) = named.iter().find(|(word, _)| closes && ahead.is(0, word)) {
                out.push_str("AS ");
                out.push_str(name);
                return ahead.past(0);
            }
            out.push_str(token.text);
        }
        _ => out.push_str(token.text),
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, to: &str) {
        assert_eq!(translate(from).sql, to);
    }

    #[test]
    fn parameters_and_words_are_put_into_its_way() {
        check("SELECT a FROM t WHERE b = ?1 AND c = ?12", "SELECT a FROM t WHERE b = $1 AND c = $12");
        check("x LIKE ?1 ESCAPE '\\'", "x ILIKE $1 ESCAPE '\\'");
        check("n GLOB '*[^0-9]*', CAST(n AS INTEGER)", "n <~> '*[^0-9]*', CAST(n AS bigint)");
        check("a IS ?2 DESC, b IS NOT c.d", "a IS NOT DISTINCT FROM $2 DESC, b IS DISTINCT FROM c.d");
        check("a IS NULL AND b IS NOT NULL", "a IS NULL AND b IS NOT NULL");
        check("FROM t u INDEXED BY t_open WHERE", "FROM t u  WHERE");
        check("FROM t NOT INDEXED WHERE", "FROM t  WHERE");
        check("SELECT x'00ff', X''", "SELECT '\\x00ff'::bytea, '\\x'::bytea");
    }

    #[test]
    fn an_ordered_join_with_a_condition_is_a_join() {
        check("FROM a CROSS JOIN b ON b.x = a.x WHERE 1", "FROM a JOIN b ON b.x = a.x WHERE 1");
        check("FROM a CROSS JOIN b WHERE 1", "FROM a CROSS JOIN b WHERE 1");
        check(
            "FROM a CROSS JOIN f(a.x, '$.y') j JOIN c ON 1",
            "FROM a CROSS JOIN f(a.x, '$.y') j JOIN c ON 1",
        );
        check("(SELECT 1 FROM a CROSS JOIN b) JOIN c ON 1", "(SELECT 1 FROM a CROSS JOIN b) JOIN c ON 1");
    }

    #[test]
    fn literals_names_and_comments_stay_as_they_are() {
        let untouched = "SELECT 'is ?1 LIKE '' ?2', \"IS ?3\" -- IS ?4\n /* LIKE ?5 */ FROM t AS x";
        check(untouched, untouched);
        check("'open ?1", "'open ?1");
    }

    #[test]
    fn types_are_asked_for_without_the_uses_that_tell_none() {
        let text = translate("a = ?1 AND (?2 IS NULL OR b = ?2) AND (?3 IS NOT NULL)");
        assert_eq!(text.sql, "a = $1 AND ($2 IS NULL OR b = $2) AND ($3::text IS NOT NULL)");
        assert_eq!(text.typing.unwrap(), "a = $1 AND (NULL IS NULL OR b = $2) AND ($3::text IS NOT NULL)");
        assert_eq!(translate("a = ?1 AND b IS NULL").typing, None);
    }
}
