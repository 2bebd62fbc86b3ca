"""HTML without its boilerplate: tree → clean → walk → elements."""
