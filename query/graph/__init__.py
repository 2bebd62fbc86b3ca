"""Questions to the graph: what leads from the best hits to others, paths, and pictures of it."""
