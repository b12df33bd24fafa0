//! Things behind handles, kept in the order in which they were added.

use serde::{Deserialize, Serialize};
use slotmap::{Key, SecondaryMap, SlotMap, new_key_type};

new_key_type! {
    /// Names an object of a world.
    pub struct ObjectHandle;
    /// Names a batch of constraints of a world.
    pub struct BatchHandle;
    /// Names a collider of a world.
    pub struct ColliderHandle;
    /// Names a sensor of a world.
    pub struct SensorHandle;
    /// Names a body of a world.
    pub struct BodyHandle;
}

/// Values behind generation-checked handles, iterated in the order of insertion.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(serialize = "K: Serialize, V: Serialize", deserialize = "K: Deserialize<'de>, V: Deserialize<'de>"))]
pub struct OrderedMap<K: Key, V> {
    indices: SlotMap<K, u32>,
    values: SecondaryMap<K, V>,
    order: Vec<K>,
}

impl<K: Key, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self { indices: SlotMap::with_key(), values: SecondaryMap::new(), order: Vec::new() }
    }
}

impl<K: Key, V> OrderedMap<K, V> {
    /// Adds a value at the end.
    pub fn push(&mut self, value: V) -> K {
        let key = self.indices.insert(self.order.len() as u32);
        self.values.insert(key, value);
        self.order.push(key);
        key
    }

    /// Returns the value of a handle, if it has not been removed.
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key)
    }

    /// Returns the value of a handle, to change it.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.values.get_mut(key)
    }

    /// Removes a value; the others keep their handles and their order.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let index = self.indices.remove(key)? as usize;
        self.order.remove(index);
        for &later in &self.order[index..] {
            self.indices[later] -= 1;
        }
        self.values.remove(key)
    }

    /// Returns other values behind the same handles, or the first error.
    pub fn try_map<W, E>(&self, mut change: impl FnMut(&V) -> Result<W, E>) -> Result<OrderedMap<K, W>, E> {
        let mut values = SecondaryMap::with_capacity(self.values.capacity());
        for (key, value) in self.iter() {
            values.insert(key, change(value)?);
        }
        Ok(OrderedMap { indices: self.indices.clone(), values, order: self.order.clone() })
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the handles and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.order.iter().filter_map(|&key| Some((key, self.values.get(key)?)))
    }

    /// Returns the handles in order.
    pub fn keys(&self) -> &[K] {
        &self.order
    }

    /// Returns the index of a handle in the order.
    pub fn index_of(&self, key: K) -> Option<usize> {
        self.indices.get(key).map(|&index| index as usize)
    }

    /// Calls `change` for each value in order.
    pub fn for_each_mut(&mut self, mut change: impl FnMut(K, &mut V)) {
        for &key in &self.order {
            if let Some(value) = self.values.get_mut(key) {
                change(key, value);
            }
        }
    }

    /// Returns whether the order names every value once.
    pub fn is_valid(&self) -> bool {
        self.order.len() == self.indices.len()
            && self.order.len() == self.values.len()
            && self.order.iter().zip(0..).all(|(&key, index)| self.indices.get(key) == Some(&index))
            && self.order.iter().all(|&key| self.values.contains_key(key))
    }
}
