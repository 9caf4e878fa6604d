import { expect, test } from 'vitest';
import { escapeField } from '../values/field-names.js';
import type { Shape } from '../values/shape.js';
import { compileMessage, compileRule, ruleOf } from './compile-rule.js';
import { shapeOf } from './schema-shape.js';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 10 },
    count: { type: 'integer' },
    port: { 'x-kubernetes-int-or-string': true },
    tags: { type: 'object', additionalProperties: { type: 'string', maxLength: 5 }, maxProperties: 5 },
    list: { type: 'array', items: { type: 'string', maxLength: 5 }, maxItems: 10 },
    'x-dash': { type: 'integer' },
    namespace: { type: 'string' },
  },
};
const shape = shapeOf(schema, false) as Shape;
const compile = (rule: string) => compileRule(ruleOf({ rule }), shape);

const accepted = [
  'self.x__dash__dash > 0 && self.__namespace__ == "a"',
  'has(self.namespace) && self.namespace.size() > 0',
  'type(self.port) == int ? self.port > 0 : self.port.matches("^a$")',
  'self.tags.all(k, k.size() > 0 && self.tags[k] != "")',
  '"a" in self.tags && "b" in self.list && has(self.text)',
  'self.?text.orValue("x") != ""',
  'self.list.all(i, v, i < 5 && v != "")',
  'self.count > 1u || self.count < 1.5',
  'self.list.first().orValue("a") == self.list.last().value()',
  // A rule of the Gateway API.
  'size(self.text) == 0 || format.dns1123Label().validate(self.text) == null',
  'ip("::1") != null && null != quantity("1")',
];
test.each(accepted)('compileRule() takes %s', (rule) => {
  expect(compile(rule)).toHaveProperty('program');
});

// rule | line:column and what is wrong there
const refused: [string, string][] = [
  ['self.nope == 1', "1:5: undefined field 'nope'"],
  ['self.text + 1 == ""', "1:11: found no matching overload for '_+_' applied to '(string, int)'"],
  ["jsonpatch.escapeKey(self.text) == ''", "1:1: undeclared reference to 'jsonpatch' (in container '')"],
  ['has(self)', '1:5: invalid argument to has() macro'],
  ['self.text.nope()', "1:15: undeclared reference to 'nope' (in container '')"],
  [
    'self.text.all(x, true)',
    "1:5: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['self.list.all(x, x)', "1:18: expected type 'bool' but found 'string'"],
  ['self.text || 1 > 0', "1:5: expected type 'bool' but found 'string'"],
  ['self.list.all(1, true)', '1:15: argument must be a simple name'],
  ['self.count.a', "1:11: type 'int' does not support field selection"],
  ["url('a').b", "1:9: unexpected failed resolution of 'kubernetes.URL'"],
  ['[1, "a"].size() > 0', "1:5: expected type 'int' but found 'string'"],
  ['duration("x") > duration("1s")', '1:10: invalid duration argument'],
  ['self.text ==\n  nope', "2:3: undeclared reference to 'nope' (in container '')"],
  ["self.text == '", "1:14: Syntax error: token recognition error at: '''"],
  ['for == 1', '1:1: reserved identifier: for'],
  [
    "'%s'.format([[1, ip('::1')]]) == ''",
    '1:20: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
  ],
  [
    "'%d'.format([1.5]) == ''",
    '1:14: error during formatting: decimal clause can only be used on integers, was given double',
  ],
  ["'%s'.format([1, 2]) == ''", '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
  ["'%s %s'.format([1]) == ''", '1:15: index 1 out of range'],
  ["'%q'.format([1]) == ''", '1:12: could not parse formatting clause: unrecognized formatting clause "q"'],
  ["'%'.format([1]) == ''", '1:11: unexpected end of string'],
  ['[dyn(1), 2u].size() > 1', "1:10: expected type 'dyn' but found 'uint'"],
  ['timestamp(253402300800) > timestamp(0)', '1:11: invalid timestamp argument'],
  ["matches('(', 'a')", '1:9: invalid matches argument'],
  ['self.text.optMap(x, x).hasValue()', "1:17: found no matching overload for 'hasValue' applied to 'string.()'"],
  [`${'('.repeat(200)}1`, '1:101: expression recursion limit exceeded: 100'],
  [`${'1+'.repeat(20_000)}1 > 0`, '1:1: expression is too long: 40004 words, limit 20000'],
];
test.each(refused)('compileRule() says where it fails: %s', (rule, problem) => {
  expect(compile(rule)).toContain(`compilation failed: ERROR: <input>:${problem}`);
});

// rule | why Kubernetes makes no program of it
const unmade: [string, string][] = [
  ["int('x') == 1", "type conversion error from 'string' to 'int'"],
  ["self.list.all(x, double('1e400') > 1.0)", "type conversion error from 'string' to 'double'"],
  ['uint(-1) == 1u', 'unsigned integer overflow'],
  ["string(b'\\xff') == ''", 'invalid UTF-8 in bytes, cannot convert to string'],
  ["self.text.find('(') == ''", 'error parsing regexp: missing closing ): `(`'],
  ["matches(self.text, '(')", 'error parsing regexp: missing closing ): `(`'],
  ['[int].all(x, type(x) != string)', 'reference to undefined type: x'],
];
test.each(unmade)('compileRule() says what can never be computed: %s', (rule, problem) => {
  expect(compile(rule)).toBe(`program instantiation failed: ${problem}`);
});

test('compileRule() marks letters that are wide', () => {
  expect(compile("'é' == nope")).toContain('\n | .．.....^');
});

test('compileRule() says twice what is wrong with a part that a macro repeats, and ends when many do', () => {
  const nested = (depth: number): string => (depth === 0 ? 'nope' : `${nested(depth - 1)}.optMap(x, x)`);
  expect(String(compile(`${nested(1)}.hasValue()`)).split('nope').length - 1).toBe(4);
  expect(String(compile(`${nested(60)}.hasValue()`)).length).toBeLessThan(100_000);
});

test('compileRule() does not say everything that is wrong with a hostile rule', () => {
  expect(String(compile(`[${'nope,'.repeat(5_000)}1]`)).length).toBeLessThan(100_000);
});

test('compileRule() wants a truth value, and compileMessage() a text', () => {
  expect(compile('self.count')).toBe('cel expression must evaluate to a bool');
  expect(compile('self.port')).toBe('cel expression must evaluate to a bool');
  expect(compileMessage(ruleOf({ messageExpression: 'self.count' }), shape)).toBe(
    'messageExpression must evaluate to a string',
  );
});

// rule | most units it costs
const costs: [string, number][] = [
  ['self.count > 1', 3],
  ['self.text == "abc"', 3],
  ['self.list.all(x, x != "")', 2 + 10 * 4 + 1],
  ['self.list.all(x, self.list.all(y, x == y))', 2 + 10 * (3 + 2 + 10 * 7 + 1) + 1],
];
test.each(costs)('the cost of a rule follows from its schema: %s', (rule, units) => {
  expect(compile(rule)).toHaveProperty('cost', units);
});

// maxLength | rule about a string | by how much Kubernetes 1.37.2 says it is too expensive for each of 64
const factors: [number, string, number][] = [
  [4000, "self.split('/')[0].matches('^a+$')", 0],
  [4000, "['a', self][0].matches('^a+$')", 0],
  [4000, "{'a': self}.all(k, k.matches('a+'))", 0],
  [4000, "self.split('/').reverse()[0].matches('a+')", 0],
  [4000, "(self == 'a' ? self.split('/') : ['a'])[0].matches('a+')", 0],
  [4000, "self.split('/').filter(x, x != '')[0].matches('a+')", 1.5],
  [4000, "self.split(',').map(x, int(x)).all(y, y > 1)", 2],
  [4000, "['a','bbb'].exists(x, x.matches(self))", 82],
  [4000, "self.split('/', 2).all(x, x == 'a')", 0],
  [4000, "string(self).matches('^a+$')", Number.POSITIVE_INFINITY],
  [4000, "quantity(self) != quantity('1')", Number.POSITIVE_INFINITY],
  [4000, "quantity(self) == quantity('1')", 0],
  [4000, "dyn(quantity(self)) == dyn(quantity('1'))", Number.POSITIVE_INFINITY],
  [4000, "dyn(self).charAt(1) == 'a' && isURL(self)", 0],
  [4000, 'optional.none() == optional.of(1)', 0],
  [4000, "self.replace('ab', 'abc').contains('a')", 0],
  [400, "self.split('/').all(x, x.matches('^[a-z]+$'))", 3.3],
  [400, "self.split('/').all(i, x, x.matches('a+'))", 1.7],
  [400, "self.findAll('a+').all(x, x.matches('^a+$'))", 1.7],
  [400, "self.split('/').map(x, x + 'abc')[0].matches('a+')", 1.8],
  [400, "self.split('/').sort()[0].matches('a+')", 34.4],
  [400, "self.split('/').distinct()[0].matches('a+')", 32.8],
  [400, "self.split('/').first().orValue('').matches('a+')", Number.POSITIVE_INFINITY],
];
test.each(factors)('compileRule() estimates what a rule costs as Kubernetes does: %i %s', (maxLength, rule, factor) => {
  const compiled = compileRule(ruleOf({ rule }), shapeOf({ type: 'string', maxLength }, false) as Shape);
  const cost = typeof compiled === 'string' ? Number.NaN : compiled.cost;
  const exceeds = (cost * 64) / 10_000_000;
  const shown = exceeds <= 1 ? 0 : Math.round(exceeds * 10) / 10;
  expect(shown > 100 ? Number.POSITIVE_INFINITY : shown).toBe(factor);
});

test('escapeField() names properties as expressions can say them', () => {
  const names = ['plain', 'a-b', 'a.b/c', 'a__b', 'namespace', '1st', 'a b'];
  expect(names.map(escapeField)).toEqual([
    'plain',
    'a__dash__b',
    'a__dot__b__slash__c',
    'a__underscores__b',
    '__namespace__',
    undefined,
    undefined,
  ]);
});
