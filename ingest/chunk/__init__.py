"""Chunkers: fixed, recursive, semantic. All count in tokens of the embedder."""
