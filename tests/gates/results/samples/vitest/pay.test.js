import { test, it, describe, expect } from 'vitest';
 test('adds', () => expect(1 + 1).toBe(2));
 test('subtracts', () => expect(200).toBe(401));
 test.skip('later', () => {});
 test.todo('someday');
 describe('box', () => { it('inside', () => {}); describe('deep', () => { it('fails deep', () => { throw new Error('two\nlines') }); }); });
 test.each([1, 2])('each %i', (n) => expect(n).not.toBe(2));
