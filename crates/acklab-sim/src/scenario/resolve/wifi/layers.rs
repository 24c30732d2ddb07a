//! Where a key is looked up: the tables that may have it, the one that counts most first.

use super::super::super::path::Path;
use super::super::super::spec::WayKeys;

/// Tables with the same keys, the one that counts most first.
pub(super) struct Layers<K> {
    all: Vec<(K, Path)>,
}

impl<K> Layers<K> {
    /// The last of `all` is the channel's.
    pub(super) fn new(all: Vec<(K, Path)>) -> Self {
        Self { all }
    }

    /// The value that counts, and where `key` stands or could stand.
    pub(super) fn get<T>(&self, key: &str, of: impl Fn(&K) -> Option<T>) -> (Option<T>, Path) {
        let found = self.all.iter().find_map(|(k, p)| Some((of(k)?, p)));
        match (found, self.all.last()) {
            (Some((value, path)), _) => (Some(value), path.key(key)),
            (None, Some((_, path))) => (None, path.key(key)),
            (None, None) => (None, Path::root().key(key)),
        }
    }

    /// The tables with their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(K, Path)> {
        self.all.iter()
    }
}

/// How a way is used.
pub(super) type Ways = Layers<WayKeys>;
