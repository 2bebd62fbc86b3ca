"""Answers from trees of summaries: where to look in them, and what a summary says on a question."""
