"""Cards of the task board: their columns, their order, their keys, and the commits that are linked to them."""
