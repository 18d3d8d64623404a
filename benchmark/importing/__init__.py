"""Other people's files as corpora and exams: one file for each format, all of them read as streams."""
