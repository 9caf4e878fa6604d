import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesLabels } from './label-requirement.js';
import { type LabelSelector, labelSelectorToString, matchesSelector, requirementsOf } from './label-selector.js';
import { parseLabelSelector } from './parse-label-selector.js';
import { SelectorError } from './selector-error.js';

const web = { app: 'web', tier: 'front', replicas: '3', empty: '' };

// selector | does it select { app: web, tier: front, replicas: 3, empty: '' }
const matches: [string, boolean][] = [
  ['', true],
  ['  ', true],
  ['app=web', true],
  ['app==web', true],
  ['app = web , tier!=back', true],
  ['app=db', false],
  ['app!=web', false],
  ['missing!=x', true],
  ['app in (web, db)', true],
  ['app in (db)', false],
  ['app notin (db,cache)', true],
  ['missing notin (x)', true],
  ['app', true],
  ['missing', false],
  ['!missing', true],
  ['!app', false],
  ['! app', false],
  ['empty=', true],
  ['empty=,app=web', true],
  ['empty in ()', true],
  ['app in (,db)', false],
  ['replicas>2', true],
  ['replicas>3', false],
  ['replicas<4,replicas>2', true],
  ['app>1', false],
  ['in=notin', false],
  ['app in (in,web)', true],
];

test.each(matches)('parseLabelSelector(%j)', (text, expected) => {
  expect(matchesLabels(parseLabelSelector(text), web)).toBe(expected);
});

// selector | why it cannot be read
const wrong: [string, string][] = [
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['a=b,', "found '', expected: identifier after ','"],
  ['a=b,,c', "found ',', expected: identifier after ','"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['=b', "found '=', expected: !, identifier, or 'end of string'"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a>b', 'the value must be an integer'],
  ['-a=b', '<nil>: Invalid value: "-a"'],
  ['a/b/c=d', '<nil>: Invalid value: "a/b/c"'],
  ['A_B.example/x', 'prefix part'],
  [`a=${'x'.repeat(64)}`, 'must be no more than 63 bytes'],
  ['a=b_', 'a valid label must be an empty string or consist of alphanumeric characters'],
];

test.each(wrong)('parseLabelSelector(%j) throws', (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(SelectorError);
  expect(() => parseLabelSelector(text)).toThrow(message);
});

// selector of a spec | does it select
const objects: [LabelSelector | undefined, boolean][] = [
  [undefined, false],
  [{}, true],
  [{ matchLabels: { app: 'web' } }, true],
  [{ matchLabels: { app: 'web', tier: 'back' } }, false],
  [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] }, true],
  [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
  [{ matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['back'] }] }, true],
];

test.each(objects)('matchesSelector(%j)', (selector, expected) => {
  expect(matchesSelector(selector, web)).toBe(expected);
});

test('matchesSelector() refuses what no API server would have stored', () => {
  expect(() => requirementsOf({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow(
    "values set can't be empty",
  );
  expect(() => requirementsOf({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] })).toThrow(
    'must be empty',
  );
  const unknown = { matchExpressions: [{ key: 'a', operator: 'Like' as 'In', values: ['b'] }] };
  expect(() => requirementsOf(unknown)).toThrow('"Like" is not a valid label selector operator');
});

test('labelSelectorToString() writes what kubectl shows', () => {
  const selector: LabelSelector = {
    matchLabels: { b: 'x', a: 'y' },
    matchExpressions: [
      { key: 'c', operator: 'NotIn', values: ['2', '1'] },
      { key: 'd', operator: 'DoesNotExist' },
    ],
  };
  expect(labelSelectorToString(selector)).toBe('a=y,b=x,c notin (1,2),!d');
});

const name = fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?$/);
const key = fc.oneof(
  name,
  fc.tuple(fc.stringMatching(/^[a-z]{1,5}(\.[a-z]{1,5})?$/), name).map((parts) => parts.join('/')),
);
const value = fc.oneof(fc.constant(''), name);
const requirement = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('Equals' as const, 'NotEquals' as const), values: fc.tuple(value) }),
  fc.record({
    key,
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((values) => values.sort()),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const), values: fc.constant([]) }),
  fc.record({
    key,
    operator: fc.constantFrom('GreaterThan' as const, 'LessThan' as const),
    values: fc.tuple(fc.nat().map(String)),
  }),
);

test('what labelSelectorToString() writes, parseLabelSelector() reads back', () => {
  fc.assert(
    fc.property(fc.uniqueArray(requirement, { selector: (each) => each.key, maxLength: 5 }), (requirements) => {
      const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      expect(parseLabelSelector(labelSelectorToString(requirements))).toEqual(sorted);
    }),
  );
});

test('parseLabelSelector() answers any text with requirements or a SelectorError', () => {
  const text = fc.array(
    fc.constantFrom('a', 'b', '=', '==', '!=', '!', ' in ', ' notin ', '(', ')', ',', ' ', '>', '<', '1'),
    { maxLength: 14 },
  );
  fc.assert(
    fc.property(text, (parts) => {
      try {
        const requirements = parseLabelSelector(parts.join(''));
        expect(parseLabelSelector(labelSelectorToString(requirements))).toEqual(requirements);
      } catch (error) {
        expect(error).toBeInstanceOf(SelectorError);
      }
    }),
    { numRuns: 1000 },
  );
});
