"""What a cluster's members say together: in their own sentences, or in an LLM's."""
