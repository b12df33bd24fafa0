//! Constraint types by name: what snapshots and scene files are read with.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{BatchError, ConstraintBatch};
use crate::constraint::{Constraint, ConstraintError, ConstraintType};

/// Rebuilds a hand-written batch from its saved bytes.
pub type RestoreBatch = fn(&[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError>;

/// The constraint types and hand-written batches that a world knows.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    types: BTreeMap<String, Arc<ConstraintType>>,
    batches: BTreeMap<&'static str, (TypeId, RestoreBatch)>,
}

impl Registry {
    /// Makes a constraint type known: `registry.register(MySpring)?`.
    ///
    /// # Errors
    /// What its self-check found, or another type of the same name.
    pub fn register<K, const N: usize, const M: usize>(
        &mut self,
        constraint: K,
    ) -> Result<Arc<ConstraintType>, ConstraintError>
    where
        K: Constraint<N, M>,
    {
        let kind = ConstraintType::of(constraint)?;
        self.insert(&kind)?;
        Ok(kind)
    }

    /// Makes an already checked type known.
    ///
    /// # Errors
    /// Another type or hand-written batch of the same name.
    pub fn insert(&mut self, kind: &Arc<ConstraintType>) -> Result<(), ConstraintError> {
        let known = self.types.get(kind.name());
        if known.is_some_and(|known| !known.is_same_type(kind)) || self.batches.contains_key(kind.name()) {
            return Err(ConstraintError::NameTaken(kind.name().into()));
        }
        self.types.insert(kind.name().into(), kind.clone());
        Ok(())
    }

    /// Makes a hand-written batch type known.
    ///
    /// # Errors
    /// Another type of the same name.
    pub fn register_batch<B: ConstraintBatch>(
        &mut self,
        name: &'static str,
        restore: RestoreBatch,
    ) -> Result<(), ConstraintError> {
        let id = TypeId::of::<B>();
        let known = self.batches.get(name);
        if known.is_some_and(|(known, _)| *known != id) || self.types.contains_key(name) {
            return Err(ConstraintError::NameTaken(name.into()));
        }
        self.batches.insert(name, (id, restore));
        Ok(())
    }

    /// Returns the type with this name.
    ///
    /// # Errors
    /// The name is unknown; the message lists those that are known.
    pub fn get(&self, name: &str) -> Result<&Arc<ConstraintType>, ConstraintError> {
        self.types.get(name).ok_or_else(|| self.unknown(name))
    }

    /// Returns how to rebuild the hand-written batch with this name.
    ///
    /// # Errors
    /// The name is unknown; the message lists those that are known.
    pub fn restore_batch(&self, name: &str) -> Result<RestoreBatch, ConstraintError> {
        self.batches.get(name).map(|&(_, restore)| restore).ok_or_else(|| self.unknown(name))
    }

    /// Returns the known constraint types in alphabetical order.
    pub fn types(&self) -> impl Iterator<Item = &Arc<ConstraintType>> {
        self.types.values()
    }

    /// Returns the known names: of constraint types in alphabetical order, then of hand-written batches.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str).chain(self.batches.keys().copied())
    }

    fn unknown(&self, name: &str) -> ConstraintError {
        let mut known: Vec<_> = self.names().map(|name| format!("`{name}`")).collect();
        known.sort_unstable();
        ConstraintError::Unknown(name.into(), known.join(", "))
    }
}
