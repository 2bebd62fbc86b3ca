"""Models and what they need: tokenizers, embedders, and later LLM clients."""
