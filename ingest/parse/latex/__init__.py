"""LaTeX: letters → inline text → blocks."""
