"""What is written down as unfinished: marks in comments, functions without a body."""
