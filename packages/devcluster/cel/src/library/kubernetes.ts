import {
  addQuantity,
  compareQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantity,
  quantity as wholeQuantity,
} from '@slipway/kube';
import { celType } from '../values/cel-type.js';
import { fail } from '../values/failure.js';
import { List, MapValue, none, Opaque, Optional, type Value } from '../values/values.js';
import { namedFormats } from './named-formats.js';
import { type Overload, overload, readsFirst, traversal } from './overload.js';
import { compareSemver, parseSemver, type Semver } from './semver.js';

export const quantityType = celType('kubernetes.Quantity');
const semverType = celType('kubernetes.Semver');
const urlType = celType('kubernetes.URL');
const formatType = celType('kubernetes.NamedFormat');

const held = <T>(value: Value | undefined) => (value as Opaque).held as T;
const nanoPerUnit = 1_000_000_000n;

function compared(
  of: 'quantity' | 'semver',
  name: string,
  answer: (order: number) => Value,
  result = 'bool',
): Overload {
  const type = of === 'quantity' ? quantityType : semverType;
  return overload(name, `${type.name}.(${type.name}): ${result}`, ([a, b]) =>
    answer(of === 'quantity' ? compareQuantity(held(a), held(b)) : compareSemver(held(a), held(b))),
  );
}

/** Quantities, versions, URLs and the formats of names. */
export const kubernetes = (): readonly Overload[] => [
  overload('quantity', '(string): kubernetes.Quantity', ([text]) => toQuantity(text as string), readsFirst),
  overload('isQuantity', '(string): bool', ([text]) => toQuantity(text as string) instanceof Opaque, readsFirst),
  overload('sign', '(kubernetes.Quantity): int', ([value]) => {
    const { nano } = held<Quantity>(value);
    return nano < 0n ? -1n : nano > 0n ? 1n : 0n;
  }),
  overload('isInteger', 'kubernetes.Quantity.(): bool', ([value]) => wholeUnits(held(value)) !== undefined),
  overload(
    'asInteger',
    'kubernetes.Quantity.(): int',
    ([value]) => wholeUnits(held(value)) ?? fail('cannot convert value to integer'),
  ),
  overload(
    'asApproximateFloat',
    'kubernetes.Quantity.(): double',
    ([value]) => Number(held<Quantity>(value).nano) / 1e9,
  ),
  overload(
    'add',
    'kubernetes.Quantity.(kubernetes.Quantity): kubernetes.Quantity',
    ([a, b]) => new Opaque(quantityType, addQuantity(held(a), held(b))),
  ),
  overload(
    'add',
    'kubernetes.Quantity.(int): kubernetes.Quantity',
    ([a, b]) => new Opaque(quantityType, addQuantity(held(a), wholeQuantity(b as bigint))),
  ),
  overload(
    'sub',
    'kubernetes.Quantity.(kubernetes.Quantity): kubernetes.Quantity',
    ([a, b]) => new Opaque(quantityType, subtractQuantity(held(a), held(b))),
  ),
  overload(
    'sub',
    'kubernetes.Quantity.(int): kubernetes.Quantity',
    ([a, b]) => new Opaque(quantityType, subtractQuantity(held(a), wholeQuantity(b as bigint))),
  ),

  overload('semver', '(string): kubernetes.Semver', ([text]) => toSemver(text as string, false), readsFirst),
  overload(
    'semver',
    '(string, bool): kubernetes.Semver',
    ([text, loose]) => toSemver(text as string, loose as boolean),
    readsFirst,
  ),
  overload('isSemver', '(string): bool', ([text]) => toSemver(text as string, false) instanceof Opaque, readsFirst),
  overload(
    'isSemver',
    '(string, bool): bool',
    ([text, loose]) => toSemver(text as string, loose as boolean) instanceof Opaque,
    readsFirst,
  ),
  overload('major', 'kubernetes.Semver.(): int', ([value]) => held<Semver>(value).numbers[0]),
  overload('minor', 'kubernetes.Semver.(): int', ([value]) => held<Semver>(value).numbers[1]),
  overload('patch', 'kubernetes.Semver.(): int', ([value]) => held<Semver>(value).numbers[2]),

  ...(['quantity', 'semver'] as const).flatMap((of) => [
    compared(of, 'compareTo', (order) => BigInt(Math.sign(order)), 'int'),
    compared(of, 'isLessThan', (order) => order < 0),
    compared(of, 'isGreaterThan', (order) => order > 0),
  ]),

  overload('url', '(string): kubernetes.URL', ([text]) => toUrl(text as string), readsFirst),
  overload('isURL', '(string): bool', ([text]) => toUrl(text as string) instanceof Opaque, readsFirst),
  part('getScheme', ({ protocol }) => protocol.slice(0, -1)),
  part('getHost', ({ host }) => host),
  part('getHostname', ({ hostname }) => hostname.replace(/^\[|\]$/g, '')),
  part('getPort', ({ port }) => port),
  part('getEscapedPath', ({ pathname }) => pathname),
  overload('getQuery', 'kubernetes.URL.(): map(string, list(string))', ([value]) => {
    const { searchParams } = held<ParsedUrl>(value);
    const names = [...new Set(searchParams.keys())];
    return new MapValue(names.map((name) => [name, new List(searchParams.getAll(name))] as const));
  }),

  ...[...namedFormats.keys()].map((name) =>
    overload(`format.${name}`, '(): kubernetes.NamedFormat', () => new Opaque(formatType, name)),
  ),
  overload('format.named', '(string): optional_type(kubernetes.NamedFormat)', ([name]) =>
    namedFormats.has(name as string) ? new Optional(new Opaque(formatType, name)) : none,
  ),
  overload(
    'validate',
    'kubernetes.NamedFormat.(string): optional_type(list(string))',
    ([format, text]) => {
      const problems = namedFormats.get(held<string>(format))?.(text as string) ?? [];
      return problems.length === 0 ? none : new Optional(new List(problems));
    },
    { cost: ({ of }) => traversal((of[1] ?? 0) * 20) },
  ),
];

/** The quantity that a string stands for, or why it is none. */
export function toQuantity(text: string): Value {
  try {
    return new Opaque(quantityType, parseQuantity(text));
  } catch (error) {
    return fail((error as Error).message);
  }
}

function wholeUnits({ nano }: Quantity): bigint | undefined {
  const units = nano / nanoPerUnit;
  return nano % nanoPerUnit === 0n && BigInt.asIntN(64, units) === units ? units : undefined;
}

/** The version that a string stands for, or why it is none; `loose` as of `semver(string, bool)`. */
export function toSemver(text: string, loose: boolean): Value {
  const version = parseSemver(text, loose);
  return version ? new Opaque(semverType, version) : fail('No Major.Minor.Patch elements found');
}

/** What of an address expressions can ask for, as it was written. */
interface ParsedUrl {
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
}

/** An absolute URL or an absolute path. Parts keep the letters they were given with. */
function toUrl(text: string): Value {
  const parts = /^(?:([A-Za-z][-+.A-Za-z0-9]*):)?(?:\/\/(?:[^/?#@]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/.exec(
    text,
  );
  const [, scheme, host = '', path = '', query = ''] = parts ?? [];
  const isBad = !parts || /\p{Cc}/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(path + host) || / /.test(host);
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host);
  if (isBad || !found || (scheme === undefined && !path.startsWith('/'))) {
    return fail(
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
    );
  }
  return new Opaque(urlType, {
    protocol: scheme === undefined ? ':' : `${scheme.toLowerCase()}:`,
    host,
    hostname: found[1] ?? '',
    port: found[2] ?? '',
    pathname: path.replaceAll(' ', '%20'),
    searchParams: new URLSearchParams(query),
  } satisfies ParsedUrl);
}

function part(name: string, read: (url: ParsedUrl) => string): Overload {
  return overload(name, 'kubernetes.URL.(): string', ([value]) => read(held(value)));
}
