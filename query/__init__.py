"""A question in, ranked cited hits out: retrieve, fuse, rerank, explain."""
