"""Parsers: one file a format."""
