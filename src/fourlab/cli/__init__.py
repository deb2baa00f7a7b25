"""The command line: one file a command, all of them thin."""
