"""What visitors made, kept on disk: runs, games and events, each under a name of its own."""
