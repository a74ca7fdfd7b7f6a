//! What is there already, by what a file may call it: its id, its code or number, then its name. Never guesses between two.

use std::collections::HashMap;
use tiffin_common::Uuid;

/// What a file's word for a record leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// This one.
    One(Uuid),
    /// Several have the name.
    Several,
    /// None.
    None,
}

/// Records by id, code and name, in any case.
#[derive(Debug, Default)]
pub struct Names {
    /// The keys of each.
    ids: HashMap<Uuid, (Option<String>, String)>,
    codes: HashMap<String, Uuid>,
    names: HashMap<String, Vec<Uuid>>,
}

fn key(text: &str) -> String {
    text.trim().to_lowercase()
}

impl Names {
    /// Adds a record; one that is there is from now on called so, and no longer as it was.
    pub fn add(&mut self, id: Uuid, code: Option<&str>, name: &str) {
        let (code, name) = (code.map(key), key(name));
        if let Some((code, name)) = self.ids.insert(id, (code.clone(), name.clone())) {
            self.codes.retain(|other, of| Some(other) != code.as_ref() || *of != id);
            if let Some(of_name) = self.names.get_mut(&name) {
                of_name.retain(|of| *of != id);
            }
        }
        self.codes.extend(code.map(|code| (code, id)));
        self.names.entry(name).or_default().push(id);
    }

    /// The record of that id.
    pub fn by_id(&self, id: Uuid) -> Option<Uuid> {
        self.ids.contains_key(&id).then_some(id)
    }

    /// The record of that code.
    pub fn by_code(&self, code: &str) -> Option<Uuid> {
        self.codes.get(&key(code)).copied()
    }

    /// The records of that name.
    pub fn by_name(&self, name: &str) -> Found {
        match self.names.get(&key(name)).map(Vec::as_slice) {
            None | Some([]) => Found::None,
            Some([only]) => Found::One(*only),
            Some(_) => Found::Several,
        }
    }

    /// What a cell means that refers to a record: its id, else its code, else its name.
    pub fn find(&self, word: &str) -> Found {
        let id = Uuid::try_parse(word.trim()).ok().and_then(|id| self.by_id(id));
        match id.or_else(|| self.by_code(word)) {
            Some(id) => Found::One(id),
            None => self.by_name(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_found_by_id_then_code_then_name_and_never_guessed() {
        let [rice, salt, other] = [1, 2, 3].map(Uuid::from_u128);
        let mut names = Names::default();
        names.add(rice, Some("R1"), "Rice");
        names.add(salt, None, "r1");
        names.add(other, None, "Salt ");
        assert_eq!(names.find(" r1 "), Found::One(rice), "the code comes before the name");
        assert_eq!(names.find(&salt.to_string()), Found::One(salt));
        assert_eq!(names.by_name("R1"), Found::One(salt));
        names.add(salt, None, "Salt");
        assert_eq!((names.by_name("salt"), names.by_name("r1")), (Found::Several, Found::None));
        names.add(rice, Some("R2"), "Rice");
        assert_eq!((names.by_code("r1"), names.by_code("R2")), (None, Some(rice)));
        assert_eq!(names.find("Rice"), Found::One(rice));
    }
}
