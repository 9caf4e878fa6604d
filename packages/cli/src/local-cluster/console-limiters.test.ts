import { defaultPullsSettings } from '@slipway/image-pulls';
import { expect, test } from 'vitest';
import { limitersOf } from './console-limiters.js';

test('limitersOf() takes the limiter of this machine where none is named', () => {
  expect(limitersOf()).toMatchObject([{ name: 'this machine', socket: defaultPullsSettings.admin, isAssumed: true }]);
});

test.each([
  [['/run/a.sock'], [{ name: '/run/a.sock', socket: '/run/a.sock', journal: '/j' }]],
  [
    ['n1=/tmp/n1.sock', 'n2=/tmp/x=y.sock'],
    [
      { name: 'n1', socket: '/tmp/n1.sock', journal: '/j' },
      { name: 'n2', socket: '/tmp/x=y.sock', journal: undefined },
    ],
  ],
  [['/tmp/x=y.sock'], [{ name: '/tmp/x=y.sock', socket: '/tmp/x=y.sock', journal: '/j' }]],
])('limitersOf() reads %j', (named, addresses) => {
  expect(limitersOf(named, '/j')).toEqual(addresses);
});

test('limitersOf() rejects two of one name', () => {
  expect(() => limitersOf(['a=/1', 'a=/2'])).toThrow('two limiters are called a');
});
