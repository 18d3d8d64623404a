"""ragsweep: sweep retrieval-augmented generation architectures over an exam, and say which differences are real."""
