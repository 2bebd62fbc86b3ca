"""Large language models over HTTP: asked in a fixed form, cached, counted and capped."""
