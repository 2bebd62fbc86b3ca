"""Fusions: several rankings in, one out."""
