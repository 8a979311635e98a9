test('adds', () => {});
