"""Measures of a ranking against judged answers."""
