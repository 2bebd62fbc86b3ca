"""Communities of the graph, and a report on each: for questions about the whole."""
