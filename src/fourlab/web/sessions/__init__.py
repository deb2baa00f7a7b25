"""What a page shows and does, without a page: plain data out, named actions in."""
