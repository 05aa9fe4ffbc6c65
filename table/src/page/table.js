// The table.
