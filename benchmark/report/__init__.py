"""What a person reads of runs. Pure: records and summaries go in, tables and texts come out."""
