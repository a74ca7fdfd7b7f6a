//! What the writer's actions look up for every order and what seldom changes, kept in memory from one transaction to the next. Never
//! outlives the rows it was read from: a change of any shared table forgets all of it, and so does whatever is undone.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use tiffin_common::Uuid;

/// So many things are kept at most: more than any menu has dishes. Then all are forgotten.
const MOST: usize = 8_192;

/// What is kept, as of one state of the shared tables.
#[derive(Default)]
pub(super) struct Kept {
    things: RefCell<HashMap<(TypeId, Uuid), Arc<dyn Any + Send + Sync>>>,
    /// The state they are of; see [`Capture::state`](crate::log::Capture::state).
    state: Cell<u64>,
}

impl Kept {
    /// The thing of type `T` called `id`, as it was read when the shared tables were in `state`; read now where there is none.
    pub(super) fn find<T, E>(
        &self,
        state: u64,
        id: Uuid,
        read: impl Fn() -> Result<T, E>,
    ) -> Result<Arc<T>, E>
    where
        T: PartialEq + Debug + Send + Sync + 'static,
        E: Debug,
    {
        if self.state.replace(state) != state {
            self.forget();
        }
        let key = (TypeId::of::<T>(), id);
        let kept = self.things.borrow().get(&key).cloned();
        if let Some(thing) = kept.and_then(|thing| thing.downcast::<T>().ok()) {
            debug_assert_eq!(thing.as_ref(), &read()?, "something was read from more than shared tables");
            return Ok(thing);
        }
        let thing = Arc::new(read()?);
        let mut things = self.things.borrow_mut();
        if things.len() >= MOST {
            things.clear();
        }
        things.insert(key, Arc::clone(&thing) as Arc<dyn Any + Send + Sync>);
        Ok(thing)
    }

    /// Forgets everything: another process has written.
    pub(super) fn forget(&self) {
        self.things.borrow_mut().clear();
    }
}
