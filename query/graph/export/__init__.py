"""The graph for other programs, and as a page to look at."""
