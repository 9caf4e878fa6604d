import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  dns1035Problems,
  labelProblems,
  labelValueProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from './names.js';

// rule | text | how many problems
const cases: [string, (text: string) => string[], string, number][] = [
  ['subdomain', subdomainProblems, 'example.com', 0],
  ['subdomain', subdomainProblems, 'a..b', 1],
  ['subdomain', subdomainProblems, '', 1],
  ['subdomain', subdomainProblems, 'x'.repeat(254), 1],
  ['label', labelProblems, 'my-name', 0],
  ['label', labelProblems, 'a.b', 1],
  ['label', labelProblems, 'x'.repeat(64), 1],
  ['DNS-1035', dns1035Problems, 'abc-1', 0],
  ['DNS-1035', dns1035Problems, '1abc', 1],
  ['path segment', pathSegmentProblems, 'any thing:at all', 0],
  ['path segment', pathSegmentProblems, '..', 1],
  ['path segment', pathSegmentProblems, 'a/b%c', 2],
  ['qualified name', qualifiedNameProblems, 'example.com/My_name.1', 0],
  ['qualified name', qualifiedNameProblems, 'Upper.com/name', 1],
  ['qualified name', qualifiedNameProblems, '/name', 1],
  ['qualified name', qualifiedNameProblems, 'a/b/c', 1],
  ['qualified name', qualifiedNameProblems, '', 2],
  ['qualified name', qualifiedNameProblems, 'x'.repeat(63), 0],
  ['qualified name', qualifiedNameProblems, 'x'.repeat(64), 1],
  ['qualified name', qualifiedNameProblems, 'a-', 1],
  ['qualified name', qualifiedNameProblems, 'a\n', 1],
  ['label value', labelValueProblems, '', 0],
  ['label value', labelValueProblems, 'x'.repeat(63), 0],
  ['label value', labelValueProblems, 'a b', 1],
  ['label value', labelValueProblems, 'x'.repeat(64), 1],
];

test.each(cases)('as a %s, %o takes %j for something with %i problems', (_rule, problems, text, count) => {
  expect(problems(text)).toHaveLength(count);
});

const part = fc.oneof(
  fc.stringMatching(/^[-a-zA-Z0-9._]{0,6}$/),
  fc.constantFrom(
    '',
    'a'.repeat(63),
    'a'.repeat(64),
    'example.dev',
    'a..b',
    'Ä',
    `${'a'.repeat(60)}.`.repeat(4),
    'a\n',
  ),
);

test('qualifiedNameProblems() finds nothing exactly where prefix and name are right by themselves', () => {
  fc.assert(
    fc.property(part, part, (prefix, name) => {
      const isRight =
        prefix !== '' && subdomainProblems(prefix).length === 0 && qualifiedNameProblems(name).length === 0;
      expect(qualifiedNameProblems(`${prefix}/${name}`).length === 0).toBe(isRight);
    }),
  );
});
