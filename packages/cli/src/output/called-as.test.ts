import { expect, test } from 'vitest';
import { asCalled, nameFrom } from './called-as.js';

test.each([
  ['./slipway', '/clone/packages/cli/bin/slipway.js', './slipway'],
  ['../clone/slipway', undefined, '../clone/slipway'],
  [undefined, '/usr/lib/node_modules/.bin/slipway', 'slipway'],
  [undefined, '/usr/bin/kubectl-slipway', 'kubectl slipway'],
  ['/home/me/bin/kubectl-slipway', '/clone/packages/cli/bin/slipway.js', 'kubectl slipway'],
])('nameFrom(%j, %j) is %s', (typed, script, name) => {
  expect(nameFrom(typed, script)).toBe(name);
});

test.each([
  ['To fix: slipway up', 'To fix: ./slipway up'],
  ['slipway node list, or slipway feature list', './slipway node list, or ./slipway feature list'],
  ['slipway: no cluster is running', 'slipway: no cluster is running'],
  ['/run/slipway up', '/run/slipway up'],
  ['my-slipway node', 'my-slipway node'],
  ['slipway upwards', 'slipway upwards'],
  ['kubectl slipway node list', 'kubectl slipway node list'],
])('asCalled(%j) writes commands as they are typed in a clone', (text, expected) => {
  expect(asCalled(text, './slipway')).toBe(expected);
});
