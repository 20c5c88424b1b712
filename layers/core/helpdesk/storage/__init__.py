"""The single table: its keys, its reads and conditional writes, its transactions and its cursors."""
