//! Rows as lines of fixed width: what text has, and what a printer writes with its own letters. Never wider than the paper.

use super::{Row, TEXT_COLUMNS};

/// The rows as plain text. Pictures and codes are left out: who reads text has the address they stand for.
pub fn text(rows: &[Row]) -> String {
    let mut page = String::new();
    for row in rows {
        for line in lines(row, TEXT_COLUMNS) {
            page.push_str(line.trim_end());
            page.push('\n');
        }
    }
    page
}

/// A row as lines of at most `width` characters.
pub fn lines(row: &Row, width: usize) -> Vec<String> {
    match row {
        Row::Title(text) | Row::Centre(text) => {
            wrap(text, width).into_iter().map(|l| format!("{l:^width$}")).collect()
        }
        Row::Plain(text) | Row::Bold(text) | Row::Large(text) => wrap(text, width),
        Row::Reverse(text) => wrap(text, width).into_iter().map(|l| format!("{l:<width$}")).collect(),
        Row::Pair(left, right) | Row::Strong(left, right) => pair(left, right, width),
        Row::Rule => vec!["-".repeat(width)],
        Row::Qr(_) | Row::Picture(_) => Vec::new(),
    }
}

/// `left` and `right` on one line; where both do not fit, left goes above.
fn pair(left: &str, right: &str, width: usize) -> Vec<String> {
    let used = left.chars().count() + right.chars().count();
    if used < width {
        return vec![format!("{left}{}{right}", " ".repeat(width - used))];
    }
    let mut lines = if left.is_empty() { Vec::new() } else { wrap(left, width) };
    lines.extend(wrap(right, width).into_iter().map(|line| format!("{line:>width$}")));
    lines
}

/// `text` broken at spaces; a word longer than the paper goes on in the next line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let indent: String = text.chars().take_while(|c| *c == ' ').take(width / 2).collect();
    let room = width.saturating_sub(indent.len()).max(1);
    let mut lines = Vec::new();
    let mut line = indent.clone();
    for word in text.split_whitespace().flat_map(|word| pieces(word, room)) {
        let fits =
            line.chars().count() + usize::from(line.len() > indent.len()) + word.chars().count() <= width;
        if !fits {
            lines.push(std::mem::replace(&mut line, indent.clone()));
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
    lines
}

/// `word` in pieces of at most `room` characters: nothing of what was ordered is left out because it is long.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(room).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_paper_and_no_letter_is_lost(
            left in "[a-z ]{0,90}", right in "[0-9.]{0,12}", width in 8usize..60,
        ) {
            for row in [Row::Plain(left.clone()), Row::Pair(left.clone(), right.clone()), Row::Large(left.clone())] {
                let made = lines(&row, width);
                prop_assert!(made.iter().all(|line| line.chars().count() <= width), "{made:?}");
                let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).collect::<String>();
                prop_assert_eq!(letters(&made.concat()), letters(&left));
            }
        }
    }
}
