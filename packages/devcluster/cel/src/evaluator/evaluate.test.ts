import { evaluate as oracle } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check } from '../checker/check.js';
import { parse } from '../parser/parse.js';
import { Failure, Meter, OverBudgetError } from '../values/failure.js';
import type { Value } from '../values/values.js';
import { programOf } from './evaluate.js';

function run(source: string, units = 100_000): Value {
  const node = parse(source);
  const checked = check(node, {});
  if (checked.issues.length > 0) throw new Error(checked.issues[0]?.message);
  return programOf(node, checked, []).run([], new Meter(units));
}

// expression | value
const values: [string, Value][] = [
  ['7 / -2', -3n],
  ['-7 % 3', -1n],
  ['dyn(1) == 1.0 && dyn(1u) == 1 && 2 > 1.5', true],
  ["'a' + \"b\" + r'\\n'", 'ab\\n'],
  ["'\\u00e9\\x41\\101' == 'éAA'", true],
  ["size('é😀') == 2 && 'é😀x'.indexOf('x') == 2", true],
  ['1 / 0 > 0 || true', true],
  ['!(1 / 0 > 0 && false)', true],
  ['[1, 2, 3].exists(x, 6 / (x - 1) > 5)', true],
  ['[1, 2].all(x, x > 0) && ![1, 2].exists_one(x, x > 0)', true],
  ['{1: 2, 3: 4}.all(k, k > 0) && dyn(1.0) in {1: 2}', true],
  ['[3, 1, 2].sort() == [1, 2, 3] && [3, 1].sortBy(x, -x) == [3, 1]', true],
  ["[1, 2].transformList(i, v, i * 10 + v) == [1, 12] && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}", true],
  ["optional.of(3).optMap(x, x + 1).orValue(0) == 4 && {'a': 1}.?b.orValue(7) == 7", true],
  ['[[1, 2], [3]].flatten() == [1, 2, 3] && [1, 1].distinct() == [1] && lists.range(2) == [0, 1]', true],
  ["'a-b'.split('-').join('+') == 'a+b' && 'aaa'.replace('a', 'b', 2) == 'bba'", true],
  ["string(timestamp('2024-02-29T12:34:56.789Z') + duration('36h'))", '2024-03-02T00:34:56.789Z'],
  ["timestamp('2024-01-01T00:30:00Z').getHours('+02:00')", 2n],
  ["timestamp('2024-07-01T00:30:00Z').getHours('Europe/Berlin')", 2n],
  ["string(ip('2001:db8:0:0:1:0:0:1'))", '2001:db8::1:0:0:1'],
  ["cidr('2001:db8::/32').containsIP('2001:db8::1') && !isIP('01.2.3.4') && isCIDR('::/0')", true],
  ["url('https://u@a.example:80/b?c=d').getHost() == 'a.example:80' && !isURL('../x')", true],
  ["url('https://a.example/b?c=d&c=e').getQuery() == {'c': ['d', 'e']}", true],
  ["quantity('1Gi').isGreaterThan(quantity('1G')) && sign(quantity('-1')) == -1", true],
  ["semver('1.2.3-rc.1') == semver('1.2.3-rc.1') && semver('1.10.0').isGreaterThan(semver('1.9.0'))", true],
  ["format.dns1123Label().validate('A').hasValue() && !format.named('nope').hasValue()", true],
  ["'b'.find('[0-9]') == '' && 'a1b22'.findAll('[0-9]+') == ['1', '22']", true],
  ["'%d %s'.format([1, [true]])", '1 [true]'],
  ['string(1000000.0) + string(0.00001)', '1e+061e-05'],
  // As Kubernetes 1.37.2 has them.
  ["'%f %.2f %.0f'.format([123456789.0, 1234.5, 1234.5])", '123,456,789.000000 1,234.50 1,234'],
  ["'%e %.20e'.format([1234.5, -0.00001])", '1.234500×10⁰³      -1.000000×10⁻⁰⁵'],
  ["'%f %f'.format([double('NaN'), double('-Infinity')])", 'NaN -∞'],
  ["'%x %X %b %o'.format([-255, 'aé', -5, -8])", '-ff 61C3A9 -101 -10'],
  ["'%s'.format([[1.5, 1e21, double('Infinity')]])", '[1.500000, 1000000000000000000000.000000, "+Inf"]'],
  [
    "'%s'.format([[b'a', timestamp(0), duration('1h'), null, int, 1u, 'é\\n']])",
    '[b"a", timestamp("1970-01-01T00:00:00Z"), duration("3600s"), null, int, 1, "é\\n"]',
  ],
  ["'%s'.format([{2: 'a', true: 2, 'x': 3u}])", '{"x":3, 2:"a", true:2}'],
  ["{'a': 1, 'a': 2}['a']", 2n],
  ["dyn('%s').format([1, 2])", '1'],
  ["size('%.999999999f %.999999999e'.format([0.1, 0.1]))", 2203n],
  ["string(timestamp('2024-01-01T00:00:00+05:30') + duration('1h'))", '2024-01-01T01:00:00+05:30'],
  ["string(duration('1000000h1ns'))", '3600000000s'],
  ["duration('1.000000001s').getMilliseconds()", 1000n],
  ["timestamp('0001-01-01T00:00:00Z').getDayOfYear()", 0n],
  ["timestamp('0001-01-01T00:00:00Z').getHours('Europe/Berlin')", 0n],
  ["double('1_000') + double('0x1p-2')", 1000.25],
  ["'abc'.indexOf('c', 99) == -1 && 'abc'.lastIndexOf('', 99) == 3", true],
  ['[optional.of(1).orValue(1 / 0), optional.of(1).or(optional.of(1 / 0)).value()] == [1, 1]', true],
  ["quantity('1Gi') == quantity('1073741824')", true],
  [
    "quantity('300m').asApproximateFloat() == 0.3 && string(quantity('1.1Ki').add(quantity('1G')).asApproximateFloat()) == '1.0000011264000001e+09'",
    true,
  ],
  ["[quantity('1.0'), quantity('1Pi'), quantity('1000m')].exists(q, q.isInteger())", false],
  ["url('/a?x=1&a;b=2&y=a+b&%zz=1').getQuery() == {'x': ['1'], 'y': ['a b']}", true],
  ["url('http://h%41:8/a b').getHost() + url('http://h/a b').getEscapedPath()", 'hA:8/a%20b'],
  ["url('http://[::1]:80/').getHostname() + url('a:b').getEscapedPath()", '::1'],
  ["!isURL('http://h:80x') && !isURL('http://[::1') && isURL('*')", true],
  ["[1.0, double('NaN')].isSorted()", true],
];
test.each(values)('an expression has its value: %s', (source, value) => {
  expect(run(source)).toEqual(value);
});

// expression | what went wrong
const failures: [string, string][] = [
  ['1 / 0', 'division by zero'],
  ['1 % 0', 'modulus by zero'],
  ['9223372036854775807 + 1', 'integer overflow'],
  ['-(-9223372036854775808)', 'integer overflow'],
  ["{'a': 1}['b']", 'no such key: b'],
  ['[1][1]', 'index out of bounds: 1'],
  ['uint(-1)', 'unsigned integer overflow'],
  ["dyn(1) + dyn('a')", 'no such overload'],
  ['dyn(null).a', 'no such key: a'],
  ["dyn(null)['a']", 'no such key: a'],
  ["dyn('text').a.b", 'no such key: a'],
  ["ip('a')", 'IP Address "a" parse error during conversion from string: ParseAddr("a"): unable to parse IP'],
  ['dyn([1]).a', "unsupported index type 'string' in list"],
  ["dyn([1])['a']", "unsupported index type 'string' in list"],
  ['[?dyn(false)]', 'cannot initialize optional list element from non-optional value false'],
  ['dyn({}) * 1', 'no such overload: _*_'],
  ["dyn('a') * 2", 'no such overload'],
  ['dyn(1).size()', 'no such overload: size'],
  ["dyn(1).split(',')", 'no such overload: split(int, string)'],
  ["dyn('a').startsWith(dyn(1))", 'no such overload'],
  ['!dyn(1)', 'no such overload'],
  ['dyn([1])[0.5]', 'unsupported index value 0.5 in list'],
  ["dyn('a').map(x, x)", "got 'types.String', expected iterable type"],
  ["double('x')", "type conversion error from 'string' to 'double'"],
  ["duration('1h' + 'x')", "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ["timestamp('9999-12-31T00:00:00Z') - timestamp('0001-01-01T00:00:00Z')", 'integer overflow'],
  ['timestamp(253402300800 + 0)', 'timestamp overflow'],
  ["uint(double('NaN'))", 'unsigned integer overflow'],
  ["1 < double('NaN')", 'NaN values cannot be ordered'],
  ["dyn('%d').format([1.5])", 'error during formatting: decimal clause can only be used on integers, was given double'],
  ["dyn('%s %s').format([1])", 'index 1 out of range'],
  ["dyn('%s').format([[optional.none()]])", 'error during formatting: no formatting function for optional_type'],
  ["quantity('1') == quantity('1').add(0)", 'no such overload'],
  ["semver('1.2')", 'No Major.Minor.Patch elements found'],
  ["semver('01.2.3')", 'Major number must not contain leading zeroes "01"'],
  ["semver('1.2-a', true)", 'short version cannot contain PreRelease/Build meta data'],
  [
    "ip('1:2')",
    'IP Address "1:2" parse error during conversion from string: ParseAddr("1:2"): address string too short',
  ],
  ["ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ["url(':a')", 'URL parse error during conversion from string: parse ":a": missing protocol scheme'],
  [
    "url('http://h/%zz')",
    'URL parse error during conversion from string: parse "http://h/%zz": invalid URL escape "%zz"',
  ],
  ["'abc'.substring(2, 1)", 'invalid substring range. start: 2, end: 1'],
];
test.each(failures)('an expression fails without throwing: %s', (source, message) => {
  const outcome = run(source);
  expect(outcome).toBeInstanceOf(Failure);
  expect((outcome as Failure).message).toBe(message);
});

test('has() finds nothing in a value without fields', () => {
  expect([run('has(dyn(null).a)'), run("has(dyn('text').a)")]).toEqual([false, false]);
});

describe('a budget', () => {
  const bombs = [
    'lists.range(100000000).size() > 0',
    'lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))',
    'lists.range(1000).all(x, lists.range(1000).exists(y, 1 / 0 > 0))',
    "lists.range(1000).map(x, 'aaaaaaaaaa').join().replace('', lists.range(1000).map(x, 'aaaaaaaaaa').join()) != ''",
    'lists.range(1000).all(x, lists.range(1000) + lists.range(1000) != [])',
    'lists.range(1000).map(x, lists.range(1000)) == lists.range(1000).map(x, lists.range(1000))',
  ];
  test.each(bombs)('ends what costs too much: %s', (source) => {
    expect(() => run(source)).toThrow(OverBudgetError);
  });
});

const literal = fc.oneof(
  fc.integer({ min: -50, max: 50 }).map((n) => (n < 0 ? `(${n})` : String(n))),
  fc.constant('[1, 2, 3].size()'),
  fc.constant("{'a': 4}.a"),
);
const number: fc.Arbitrary<string> = fc.letrec((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    literal,
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '/', '%'), tie('expression'))
      .map((p) => `(${p.join(' ')})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} < ${b} ? ${a} : ${b})`),
    tie('expression').map((a) => `[1, 2].map(x, x + ${a})[1]`),
  ) as fc.Arbitrary<string>,
})).expression;

test('any arithmetic has the value that another implementation gives it', () => {
  fc.assert(
    fc.property(number, fc.constantFrom('<', '<=', '==', '!='), number, (left, sign, right) => {
      const source = `${left} ${sign} ${right}`;
      let expected: unknown;
      try {
        expected = oracle(source);
      } catch {
        expected = 'failure';
      }
      const outcome = run(source);
      expect(outcome instanceof Failure ? 'failure' : outcome).toBe(expected);
    }),
    { numRuns: 150 },
  );
});
