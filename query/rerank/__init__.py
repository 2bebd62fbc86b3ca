"""Rerankers: the fused pool in, a better order out."""
