const { test } = require('node:test');
test('adds', () => {});
test('weird # name \\ ✔ (1ms)', () => {});
