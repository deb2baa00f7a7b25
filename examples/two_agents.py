"""Two agents play ten games on a small board; the seed makes every one of them repeatable."""

import fourlab

rules = fourlab.game("connect:columns=5,rows=4,k=3")
first, second = fourlab.agent("baseline", rules), fourlab.agent("random", rules)
for seed in range(10):
    record = fourlab.play_game(rules, first, second, seed)
    print(f"seed {seed}: {record.moves:20} winner: {record.outcome}")
