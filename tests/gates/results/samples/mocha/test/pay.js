const assert = require('node:assert');
it('adds', () => {});
describe('box', () => {
  it('subtracts', () => assert.strictEqual(200, 401));
  it.skip('later', () => {});
  it('someday');
  describe('deep', () => { it('fails deep', () => { throw new Error('two\nlines') }); it('ok deep', () => {}); });
});
describe('hooked', () => { before(() => { throw new Error('no hook') }); it('never', () => {}); });
