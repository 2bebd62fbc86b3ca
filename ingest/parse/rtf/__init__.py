"""RTF: bytes → tokens → state by group → blocks."""
