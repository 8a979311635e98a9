import x from 'nothing-here'; import { test } from 'vitest'; test('adds', () => {});
