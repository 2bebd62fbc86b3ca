"""Contexts: a short prefix that situates a chunk, embedded and indexed but never cited."""
