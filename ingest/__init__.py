"""Files in, chunks out: scan, parse, chunk, contextualize."""
