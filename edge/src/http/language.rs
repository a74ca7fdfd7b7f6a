//! Languages: which tags name one, and which of those that somebody has is meant by who asks. Never translates.

use axum::http::{HeaderMap, HeaderValue, header};

/// The languages of ISO 639-1, and those of India's constitution that have no code of two letters.
const KNOWN: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi \
     fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw \
     ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro \
     ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi \
     yo za zh zu bho brx doi kok mai mni sat";

/// The language of a tag without its script and region: `hi` of `hi-IN`.
fn base(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

/// Whether `tag`, in small letters, is a BCP 47 tag of a known language: `hi`, `pt-br`, `zh-hant`.
pub fn is_known(tag: &str) -> bool {
    let parts = |part: &str| (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_short = tag.len() <= 12 && tag.split('-').all(parts);
    is_short && KNOWN.split_whitespace().any(|known| known == base(tag))
}

/// `tag` as it is kept.
pub fn normal(tag: &str) -> String {
    tag.trim().replace('_', "-").to_ascii_lowercase()
}

/// Which of `languages` (the first is the one that everything is in anyway) is meant: by `?lang`, else by `Accept-Language`. None: the first.
pub fn choose<'l>(languages: &'l [String], lang: Option<&str>, headers: &HeaderMap) -> Option<&'l str> {
    let header = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let wanted = match lang {
        Some(tag) => vec![normal(tag)],
        None => accepted(header.unwrap_or_default()),
    };
    let of = |tag: &String| {
        let exact = languages.iter().position(|language| language == tag);
        exact.or_else(|| languages.iter().position(|language| base(language) == base(tag)))
    };
    let place = wanted.iter().find_map(of).filter(|place| *place > 0)?;
    languages.get(place).map(String::as_str)
}

/// The tags of an `Accept-Language` header, the best first.
fn accepted(header: &str) -> Vec<String> {
    let weighed = header.split(',').take(20).filter_map(|part| {
        let (tag, rest) = part.split_once(';').unwrap_or((part, ""));
        let weight = rest.trim().strip_prefix("q=").map_or(Some(1_000), thousandths)?;
        let tag = normal(tag);
        (weight > 0 && !tag.is_empty() && tag != "*").then_some((weight, tag))
    });
    let mut weighed: Vec<(u32, String)> = weighed.collect();
    weighed.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    weighed.into_iter().map(|(_, tag)| tag).collect()
}

/// `0.85` in thousandths.
fn thousandths(weight: &str) -> Option<u32> {
    let (whole, fraction) = weight.trim().split_once('.').unwrap_or((weight.trim(), ""));
    let digits = format!("{fraction:0<3}");
    let fraction: u32 = digits.get(..3)?.parse().ok()?;
    Some(whole.parse::<u32>().ok()?.min(1) * 1_000 + fraction)
}

/// What an answer in `language` says of it, so that no cache hands it to somebody who asked for another.
pub fn label(headers: &mut HeaderMap, language: Option<&str>) {
    let before = headers.get(header::VARY).and_then(|value| value.to_str().ok());
    let vary =
        before.map_or_else(|| "accept-language".to_owned(), |before| format!("{before}, accept-language"));
    if let Ok(vary) = HeaderValue::try_from(vary) {
        headers.insert(header::VARY, vary);
    }
    if let Some(tag) = language.and_then(|language| HeaderValue::try_from(language).ok()) {
        headers.insert(header::CONTENT_LANGUAGE, tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(header: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, HeaderValue::from_static(header))])
    }

    #[test]
    fn the_best_language_that_is_there_is_chosen() {
        let languages = ["en", "hi", "ta"].map(str::to_owned);
        let chosen = |header| choose(&languages, None, &asked(header)).map(str::to_owned);
        assert_eq!(chosen("hi-IN,hi;q=0.9,en;q=0.8").as_deref(), Some("hi"));
        assert_eq!(chosen("en-GB,hi;q=0.9"), None, "what everything is in anyway");
        assert_eq!(chosen("fr, ta;q=0.2, hi;q=0.4").as_deref(), Some("hi"));
        assert_eq!(chosen("hi;q=0, *;q=1, fr"), None);
        assert_eq!(chosen(""), None);
        assert_eq!(choose(&languages, Some("TA_in"), &asked("hi")), Some("ta"));
        assert_eq!(choose(&languages, Some("fr"), &asked("hi")), None, "said is said");
        assert_eq!(choose(&[], None, &asked("hi")), None);
    }

    #[test]
    fn tags_of_languages_are_known_and_others_are_not() {
        for tag in ["hi", "pt-br", "zh-hant", "kok", "en-in"] {
            assert!(is_known(tag), "{tag}");
        }
        for tag in ["", "xx", "english", "hi-", "HI", "hi_in", "e", "hi-औ"] {
            assert!(!is_known(tag), "{tag}");
        }
        assert_eq!(normal(" Pt_BR "), "pt-br");
    }
}
