import unittest

from session import check, total


class SessionTest(unittest.TestCase):
    def test_valid_token(self):
        self.assertEqual(check({"expires": 2000}, now=1000), 200)

    def test_no_token(self):
        self.assertEqual(check(None), 401)

    def test_expired_token(self):
        self.assertEqual(check({"expires": 900}, now=1000), 401)

    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
