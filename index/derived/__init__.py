"""Chunks that are made from other chunks: summaries, community reports, cards."""
