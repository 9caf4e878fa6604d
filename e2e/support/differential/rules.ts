import fc from 'fast-check';

// Rules of custom resources: every library of Kubernetes, right and wrong, and what no type checker accepts.

const ofAny = [
  'true',
  'self == self',
  'self',
  'nope',
  '1',
  "'a' == 1",
  'oldSelf == self',
  'self.x',
  '1/0 == 1',
  '(',
  'self == oldSelf',
  'dyn(self) == 1',
  'has(self)',
  'type(self) == string',
  'false',
  '',
];
const ofText = [
  ...[
    "self.startsWith('a')",
    "self.matches('^a')",
    "self.matches('(')",
    'size(self) > 1',
    'self.size() < 5',
    "self.contains('b')",
  ],
  ...[
    "self.lowerAscii() == 'a'",
    "self.upperAscii() == 'A'",
    "self.split(',').size() == 1",
    "self.replace('a', 'b') != self",
  ],
  ...[
    "self.charAt(0) == 'a'",
    'self.substring(1) == self',
    "self.indexOf('a') >= 0",
    "self.lastIndexOf('a') < 1",
    'self.trim() == self',
  ],
  ...[
    "self.find('[0-9]+') != ''",
    "self.findAll('a').size() > 0",
    "self.join('') == ''",
    "'%s'.format([self]) == self",
    "strings.quote(self) != ''",
  ],
  ...[
    'isURL(self)',
    "url(self).getHost() == 'a'",
    "url(self).getScheme() == 'https'",
    'url(self).getQuery() == {}',
    'isIP(self)',
    'ip(self).family() == 4',
  ],
  ...[
    'ip(self).isLoopback()',
    'isCIDR(self)',
    "cidr(self).containsIP('10.0.0.1')",
    'cidr(self).prefixLength() == 8',
    "cidr('10.0.0.0/8').containsCIDR(self)",
    'ip.isCanonical(self)',
  ],
  ...[
    'isQuantity(self)',
    "quantity(self).isGreaterThan(quantity('1'))",
    'quantity(self).add(1).sign() == 1',
    'quantity(self).asInteger() > 0',
    "quantity(self).compareTo(quantity('1Gi')) == 0",
  ],
  ...[
    "duration(self) > duration('1h')",
    'timestamp(self).getFullYear() > 2000',
    "timestamp('2001-01-01T00:00:00Z') < timestamp(self)",
    'duration(self).getSeconds() == 1',
  ],
  ...[
    'format.dns1123Label().validate(self).hasValue()',
    "!format.named('uuid').hasValue()",
    "format.named('dns1123Subdomain').value().validate(self) == optional.none()",
    'format.nope().validate(self)',
  ],
  ...[
    'semver(self).major() == 1',
    'isSemver(self)',
    "semver(self, true).isLessThan(semver('2.0.0'))",
    'int(self) == 5',
    'double(self) > 1.5',
    "self in ['a', 'b']",
    'self > 1',
    "self + 'x' == 'ax'",
  ],
  ...[
    'base64.encode(bytes(self)) != ""',
    "base64.decode(self) == b'a'",
    'self.reverse() == self',
    'self ==  "a"',
    "self.exists(c, c == 'a')",
  ],
];
const ofNumber = [
  'self > 0',
  'self % 2 == 0',
  'self < 5.5',
  'self + 1 > self',
  'self / 0 == 1',
  'string(self) != "5"',
  'self in [1, 2]',
  'double(self) > 0.5',
  'self == 5 || 1/0 == 1',
  'math.greatest(self, 3) > 1',
  'math.abs(self) == self',
  'sets.contains([self], [1])',
  'uint(self) == 5u',
  'self.size() > 1',
  'self - 9223372036854775807 < 0',
  'int(self) == self',
];
const ofBool = ['self', '!self', 'self || false', 'self == true ? true : false', 'self > 1', 'self && nope'];
const ofList = [
  'self.size() > 0',
  'self.all(x, x == x)',
  "self.exists(x, x == 'a')",
  'self.exists_one(x, x == 1)',
  'self.map(x, x).size() == size(self)',
  'self.filter(x, true) == self',
  'self.isSorted()',
  'self.sum() > 1',
  'self.min() == self.max()',
  'self[0] == self[0]',
  "self.indexOf('a') == 0",
  'self == [] || self[5] == 1',
  'sets.equivalent(self, self)',
  'sets.intersects(self, [1])',
  'self.all(i, x, i >= 0)',
  'self + self == self',
  'self.slice(0, 1).size() == 1',
  'self.distinct() == self',
  'self.sort() == self',
  'self.reverse() == self',
  'self.flatten() == self',
  'lists.range(3).size() == 3',
  'self.first().hasValue()',
  'self.all(x, self.all(y, self.all(z, x == z)))',
  'self.join(",") != ""',
];
const ofMap = [
  'has(self.a)',
  '!has(self.a) || self.a == self.a',
  "self.a == 'a'",
  "'a' in self",
  'self.all(k, k != "zz")',
  'self.all(k, v, v == v)',
  'size(self) < 3',
  "self[?'a'].hasValue()",
  'self.?a.orValue(1) == 1',
  'self.a > 1',
  "self['a'] == 1",
  'self.transformList(k, v, k).size() > 0',
  'self == oldSelf',
  'oldSelf.hasValue()',
  'self.exists(k, self[k] == 1)',
  'cel.bind(x, self, x == self)',
  'self.b.startsWith(self.a)',
  'has(self.a) && has(self.b) ? self.a == self.b : true',
  '{"a": 1}.all(k, k in self)',
];

/** Rules for a value of a type; now and then those of another type. */
export function textsOfRules(type: string | undefined): fc.Arbitrary<string> {
  const fitting =
    { string: ofText, integer: ofNumber, number: ofNumber, boolean: ofBool, array: ofList, object: ofMap }[
      type ?? ''
    ] ?? ofAny;
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: fc.constantFrom(...ofAny) },
    { weight: 1, arbitrary: fc.constantFrom(...ofText, ...ofNumber, ...ofList, ...ofMap) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...fitting), fc.constantFrom(...fitting)).map((both) => both.join(' && ')),
    },
  );
}
