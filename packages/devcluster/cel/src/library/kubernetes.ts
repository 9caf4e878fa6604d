import { quantityForm } from '@slipway/api-machinery/schema/quantity-form';
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
import { List, none, Opaque, Optional, type Value } from '../values/values.js';
import { namedFormats } from './named-formats.js';
import { type Overload, overload, readsFirst, traversal } from './overload.js';
import { compareSemver, parseSemver, type Semver } from './semver.js';
import { urls } from './urls.js';

export const quantityType = celType('kubernetes.Quantity');
const semverType = celType('kubernetes.Semver');
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
  overload('asApproximateFloat', 'kubernetes.Quantity.(): double', ([value]) => approximately(held(value))),
  ...(['add', 'sub'] as const).flatMap((name) => [
    overload(name, 'kubernetes.Quantity.(kubernetes.Quantity): kubernetes.Quantity', ([a, b]) =>
      sum(name, held(a), held(b)),
    ),
    overload(name, 'kubernetes.Quantity.(int): kubernetes.Quantity', ([a, b]) =>
      sum(name, held(a), { ...wholeQuantity(b as bigint), exponent: 0, isLong: false }),
    ),
  ]),

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

  ...urls(),

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
    { cost: ({ of }) => traversal(of[1] ?? 0) * 32 },
  ),
];

/** An amount as Kubernetes holds it: a whole number times a power of ten. */
interface Amount extends Quantity {
  readonly exponent: number;
  /** Whether the number may be longer than 64 bits: such an amount counts as none that is whole. */
  readonly isLong: boolean;
}

/** The quantity that a string stands for, or why it is none. */
export function toQuantity(text: string): Value {
  try {
    const read = parseQuantity(text);
    const { exponent, isLong } = quantityForm(text);
    return new Opaque(quantityType, { ...read, exponent, isLong } satisfies Amount);
  } catch (error) {
    return fail((error as Error).message);
  }
}

function sum(name: 'add' | 'sub', a: Amount, b: Amount): Opaque {
  const made = name === 'add' ? addQuantity(a, b) : subtractQuantity(a, b);
  const isLong = a.isLong || b.isLong;
  const least = Math.min(a.exponent, b.exponent);
  const exponent = isLong ? least : a.nano === 0n ? b.exponent : b.nano === 0n ? a.exponent : least;
  return new Opaque(quantityType, { ...made, exponent, isLong } satisfies Amount, true);
}

/** The nearest double to the digits, times the nearest to the power of ten. */
function approximately({ nano, exponent }: Amount): number {
  const power = exponent + 9;
  const digits = power >= 0 ? nano / 10n ** BigInt(power) : nano * 10n ** BigInt(-power);
  return exponent === 0 ? Number(digits) : Number(digits) * Number(`1e${exponent}`);
}

function wholeUnits({ nano, exponent, isLong }: Amount): bigint | undefined {
  const units = nano / nanoPerUnit;
  return !isLong && exponent >= 0 && BigInt.asIntN(64, units) === units ? units : undefined;
}

/** The version that a string stands for, or why it is none; `loose` as of `semver(string, bool)`. */
export function toSemver(text: string, loose: boolean): Value {
  const version = parseSemver(text, loose);
  return typeof version === 'string' ? fail(version) : new Opaque(semverType, version);
}
