//! The names in the engines' `id name`.

use super::{Store, StoreError, Trouble};

impl Store {
    /// Returns the engines' `id name`s, in the order of the plan; `None` for an engine that has not sent one.
    ///
    /// # Errors
    /// [`StoreError::Database`] if they cannot be read.
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
