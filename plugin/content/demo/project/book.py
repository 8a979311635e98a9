"""An address book."""


class Book:
    def __init__(self):
        self.people = []

    def sorted(self):
        """By name, whatever the case of its letters."""
        return sorted(self.people)

    def add(self, name, city):
        self.people.append((name, city))
