"""Two variants of a KB side by side: one question, or many."""
