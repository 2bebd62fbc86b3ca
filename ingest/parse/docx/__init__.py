"""Word: package → styles, numbering → inline text → blocks."""
