"""Charts of figures: in a terminal, as a picture, and as a table for spreadsheets."""
