"""Players: everything that can decide on a move, named by a spec string."""
