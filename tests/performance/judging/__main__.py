"""The table of judging alone: ``python -m tests.performance.judging``."""

from tests.performance.__main__ import show
from tests.performance.judging import measure

if __name__ == "__main__":
    show(measure())
