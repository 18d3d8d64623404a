"""Whether differences between runs are more than noise, and how far each mean can be trusted. Pure.

``summarise`` turns runs into every metric's estimates, pairs and standings. What each figure means and
how well it holds in simulation stands in ``docs/statistics.md``.
"""

from benchmark.statistics.intervals import Bounds, Estimate, How, estimate, estimates, missing_bounds, upper_bound
from benchmark.statistics.pairs import ALPHA, Comparison, comparisons
from benchmark.statistics.ranking import Resolution, Standing, questions_needed, resolution, standings
from benchmark.statistics.signflip import holm, sign_flip
from benchmark.statistics.summary import MetricStatistics, Settings, summarise
from benchmark.statistics.values import Values, mean, measured

__all__ = [
    "ALPHA",
    "Bounds",
    "Comparison",
    "Estimate",
    "How",
    "MetricStatistics",
    "Resolution",
    "Settings",
    "Standing",
    "Values",
    "comparisons",
    "estimate",
    "estimates",
    "holm",
    "mean",
    "measured",
    "missing_bounds",
    "questions_needed",
    "resolution",
    "sign_flip",
    "standings",
    "summarise",
    "upper_bound",
]
