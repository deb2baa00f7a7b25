"""What was learned, and the files it is kept in."""
