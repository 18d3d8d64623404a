"""The only place that touches disk or MLflow."""
