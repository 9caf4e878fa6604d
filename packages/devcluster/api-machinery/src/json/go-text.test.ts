import { expect, test } from 'vitest';
import { goQuoted } from '../errors/go-quoted.js';
import { sortedKeys } from './go-text.js';

// text | as `%q` of Go 1.25 prints it
test.each([
  ['plain', '"plain"'],
  ['a "b" \\ c', '"a \\"b\\" \\\\ c"'],
  ['\n\t\r\b\f', '"\\n\\t\\r\\b\\f"'],
  ['\u0000\u0007\u000b\u001b\u007f', '"\\x00\\a\\v\\x1b\\x7f"'],
  ['\\u0000', '"\\\\u0000"'],
  ['é', '"é"'],
])('goQuoted(%j)', (text, quoted) => {
  expect(goQuoted(text)).toBe(quoted);
});

test('sortedKeys() orders the fields of every object, and no list', () => {
  const sorted = sortedKeys({ b: [{ d: 1, c: 2 }, 'z', 'a'], a: null });
  expect(JSON.stringify(sorted)).toBe('{"a":null,"b":[{"c":2,"d":1},"z","a"]}');
});
