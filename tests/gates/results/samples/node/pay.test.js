const { test, describe, it } = require('node:test');
const assert = require('node:assert');
test('adds', () => assert.strictEqual(1 + 1, 2));
test('subtracts', () => assert.strictEqual(200, 401));
test('later', { skip: true }, () => {});
test('someday', { todo: 'soon' }, () => { throw new Error('x') });
describe('box', () => {
  it('inside', () => {});
  describe('deep', () => { it('fails deep', () => { throw new Error('two\nlines') }); it.skip('no', () => {}); });
});
test('parent', async (t) => { await t.test('child', () => {}); });
