"""Excel: package → sheets in order → rows as they are shown → tables."""
