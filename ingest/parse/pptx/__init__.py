"""PowerPoint: package → slides in order → shapes."""
