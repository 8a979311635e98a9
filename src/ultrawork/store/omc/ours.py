"""What one person's sessions write into `.omc`: never committed by accident, and part of no tree."""

NAMES = (
    "features", "state/", "logs/", "skills/", "notepads/", "notepad.md", "progress.txt", "boulder.json",
    "project-memory.json", "autopilot/", "plans/autopilot-impl.md", "plans/ultrapilot.md", "plans/team.md",
    "plans/team-prd.md", ".lock", ".gitignore",
)  # fmt: skip
