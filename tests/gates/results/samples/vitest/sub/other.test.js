import { test } from 'vitest'; test('adds', () => {});
