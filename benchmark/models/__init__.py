"""The only place that loads weights or opens sockets."""
