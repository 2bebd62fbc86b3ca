"""Makes questions from a knowledge base's own documents, each with the span that answers it."""
