"""Retrieval legs: dense and sparse."""
