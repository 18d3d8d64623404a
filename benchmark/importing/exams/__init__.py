"""Exams that come with questions and gold: BEIR, SQuAD, and tables such as those of ragas and AutoRAG."""
