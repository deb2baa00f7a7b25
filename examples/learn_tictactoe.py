"""Tic-tac-toe learned by self-play in a second, then held against the exact truth."""

import numpy as np

import fourlab
from fourlab.learning.evaluation import play_off
from fourlab.learning.registry import learner

teacher = learner("q:opponent=self,alpha=1,epsilon=0.5,games=100000", "tictactoe", seed=1)
for progress in teacher.steps():
    if progress.done % 20_000 == 0:
        print(f"{progress.done:7,} games, {teacher.size:,} states")

start = teacher.rules.start()
print("learned:", teacher.agent().decide(start, np.random.default_rng(1)).values)
print("truth:  ", fourlab.solve(start))
for name in ("random", "baseline", "perfect"):
    score = play_off(teacher, fourlab.agent(name, "tictactoe"), 1000, seed=2, side="alternating")
    print(f"against {name}: {score.wins} won, {score.draws} drawn, {score.losses} lost")
