"""JSON and JSON lines: tokens → leaves → records."""
