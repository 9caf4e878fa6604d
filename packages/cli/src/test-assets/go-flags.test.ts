import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readGoFlags } from './go-flags.js';

const known = (name: string) => (name === 'quiet' ? 'switch' : name.startsWith('a') ? 'value' : undefined);

test('readGoFlags() reads a flag the same way however it is written, and the last one counts', () => {
  const flag = fc.record({
    name: fc.stringMatching(/^a[a-z-]{0,5}$/),
    value: fc.string(),
    joined: fc.boolean(),
    dashes: fc.constantFrom('-', '--'),
  });
  fc.assert(
    fc.property(fc.array(flag), (flags) => {
      const words = flags.flatMap(({ name, value, joined, dashes }) =>
        joined ? [`${dashes}${name}=${value}`] : [`${dashes}${name}`, value],
      );
      const expected = new Map(flags.map(({ name, value }) => [name, value]));
      expect(readGoFlags(words, known)).toEqual(expected);
    }),
  );
});

// words | what is wrong
const refusals: [string[], string][] = [
  [['--other=1'], 'unknown flag: --other'],
  [['word'], 'unknown argument: word'],
  [['--quiet', 'true'], 'unknown argument: true'],
  [['--a'], 'flag needs an argument: --a'],
];
test.each(refusals)('readGoFlags() rejects %j', (words, message) => {
  expect(() => readGoFlags(words, known)).toThrow(message);
});

test('readGoFlags() takes a switch without a value, and with one', () => {
  expect([...readGoFlags(['--quiet', '--a', '--quiet'], known)]).toEqual([
    ['quiet', 'true'],
    ['a', '--quiet'],
  ]);
  expect(readGoFlags(['--quiet=false'], known).get('quiet')).toBe('false');
});
