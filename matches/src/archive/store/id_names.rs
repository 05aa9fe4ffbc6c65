//! By which names the engines introduced themselves.

use super::{Store, StoreError, Trouble};

impl Store {
    /// The names by which the engines introduced themselves, in the order of the plan; `None` for one that has
    /// not yet, or has none.
    ///
    /// # Errors
    /// [`StoreError::Database`] where they cannot be read.
    pub fn id_names(&self) -> Result<Vec<Option<String>>, StoreError> {
        let read = || -> Result<Vec<Option<String>>, Trouble> {
            let select = "SELECT id_name FROM engines ORDER BY number";
            let mut statement = self.connection.prepare(select)?;
            let names = statement.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        };
        self.check(read())
    }
}
