"""Where positions come from: openings, starts, suites, the UCI set, random walks."""
