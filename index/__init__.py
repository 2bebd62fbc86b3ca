"""Chunks in, one searchable generation out: vectors, BM25, engines."""
