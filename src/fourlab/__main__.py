"""`python -m fourlab`: the command line, as `fourlab` is."""

from fourlab.cli.main import main

if __name__ == "__main__":
    main()
