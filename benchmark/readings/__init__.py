"""What scores say once they are read together. Pure: records go in, frozen figures come out.

``analyse`` makes all that a report shows; each module has one reading of its own. ``docs/statistics.md`` explains them.
"""

from benchmark.readings.analysis import Analysis, Label, Reading, analyse

__all__ = ["Analysis", "Label", "Reading", "analyse"]
