"""What the rest of the program asks of the helpers."""

ANSWERS = {"open_part": "tools:open_desk"}
