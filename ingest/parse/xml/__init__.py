"""XML: tree → records and paragraphs."""
