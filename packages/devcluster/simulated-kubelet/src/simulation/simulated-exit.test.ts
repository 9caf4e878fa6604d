import { aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { simulatedExit } from './simulated-exit.js';

const read = (text: string) =>
  simulatedExit(aPod('p', { metadata: { annotations: { 'sim.slipway.dev/main': text } } }), 'main');

const cases: [string, { code: number; afterMs: number | undefined }][] = [
  ['exit=1,after=5s', { code: 1, afterMs: 5_000 }],
  ['exit=0', { code: 0, afterMs: undefined }],
  [' after=1m30s , exit=137 ', { code: 137, afterMs: 90_000 }],
  ['exit=2,after=250ms', { code: 2, afterMs: 250 }],
  ['exit=2,after=1.5h', { code: 2, afterMs: 5_400_000 }],
  ['exit=0,after=0s', { code: 0, afterMs: 0 }],
];
test.each(cases)('simulatedExit() reads %s', (text, exit) => expect(read(text)).toEqual(exit));

test.each(['', 'after=5s', 'exit=256', 'exit=-1', 'exit=1,after=5', 'exit=1,when=5s', 'exit=1;after=5s', 'exit=1,'])(
  'simulatedExit() says what is wrong with "%s"',
  (text) => expect(read(text)).toMatch(/exit=CODE/),
);

test('simulatedExit() looks at the container that was asked for only', () => {
  const pod = aPod('p', { metadata: { annotations: { 'sim.slipway.dev/other': 'exit=1' } } });
  expect(simulatedExit(pod, 'main')).toBeUndefined();
});

test('simulatedExit() takes any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const exit = read(text);
      expect(['string', 'object']).toContain(typeof exit);
    }),
  );
});
