import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compactRules, covers, missingRights, ruleText } from './covers.js';
import { ruleAllows } from './rule-allows.js';

const rule = (verbs: string, resources: string, names?: string): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
});
const paths = (verbs: string, urls: string): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs: urls.split(' '),
});

// what is held | what is wanted | what is missing
const cases: [string, PolicyRule[], PolicyRule[], string[]][] = [
  ['all of it in one rule', [rule('get list', 'pods secrets')], [rule('list', 'pods')], []],
  ['all of it in two', [rule('get', 'pods'), rule('list', 'pods')], [rule('get list', 'pods')], []],
  ['everything', [rule('*', '*')], [rule('get', 'pods/log', 'a')], []],
  [
    'less',
    [rule('get', 'pods')],
    [rule('get list delete', 'pods')],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "delete"]}'],
  ],
  [
    'some names for all',
    [rule('get', 'pods', 'a')],
    [rule('get', 'pods')],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  ],
  ['all names for some', [rule('get', 'pods')], [rule('get', 'pods', 'a')], []],
  [
    'some names',
    [rule('get', 'pods', 'a')],
    [rule('get', 'pods', 'a b')],
    ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'],
  ],
  ['a subresource of all', [rule('get', '*/scale')], [rule('get', 'pods/scale')], []],
  ['one for a star', [rule('get', 'pods')], [rule('get', '*')], ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}']],
  ['paths', [paths('get', '/api/*')], [paths('get', '/api/v1 /apis')], ['{NonResourceURLs:["/apis"], Verbs:["get"]}']],
  [
    'nothing',
    [],
    [rule('get', 'pods'), rule('list', 'pods')],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'],
  ],
];

test.each(cases)('missingRights() of somebody who holds %s', (_what, held, wanted, missing) => {
  expect(compactRules(missingRights(held, wanted)).map(ruleText)).toEqual(missing);
});

test('missingRights() reports a rule that is too large to enumerate as it is', () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `x${index}`);
  const wide: PolicyRule = { verbs: many, apiGroups: many, resources: many, resourceNames: many };
  expect(missingRights([rule('get', 'pods')], [wide])).toEqual([wide]);
  expect(missingRights([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [wide])).toEqual([]);
});

const arbitraryRule = fc.record({
  verbs: fc.uniqueArray(fc.constantFrom('get', 'list', '*'), { minLength: 1 }),
  apiGroups: fc.uniqueArray(fc.constantFrom('', 'apps', '*'), { minLength: 1 }),
  resources: fc.uniqueArray(fc.constantFrom('pods', 'pods/log', '*', '*/log'), { minLength: 1 }),
  resourceNames: fc.uniqueArray(fc.constantFrom('a', 'b')),
});
const access = fc.record({
  kind: fc.constant('resource' as const),
  verb: fc.constantFrom('get', 'list', 'watch'),
  group: fc.constantFrom('', 'apps', 'batch'),
  version: fc.constant('v1'),
  resource: fc.constantFrom('pods', 'nodes'),
  subresource: fc.constantFrom('', 'log'),
  namespace: fc.constant(''),
  name: fc.constantFrom('', 'a', 'b'),
});

test('who gets only what the giver holds can do nothing that the giver cannot', () => {
  const some = fc.array(arbitraryRule, { maxLength: 3 });
  fc.assert(
    fc.property(some, some, access, (held, wanted, asked) => {
      fc.pre(missingRights(held, wanted).length === 0);
      const can = (rules: readonly PolicyRule[]) => rules.some((one) => ruleAllows(one, asked));
      expect(!can(wanted) || can(held)).toBe(true);
    }),
  );
});

test('covers() holds between a rule and itself', () => {
  fc.assert(fc.property(arbitraryRule, (one) => covers(one, one)));
});
