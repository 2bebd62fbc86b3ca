"""What Word, PowerPoint and Excel files have in common."""
