/**
 * An amount of a resource: cpu, memory, pods. Exact to a billionth, as Kubernetes
 * has it; arithmetic never goes through floating point.
 */
export interface Quantity {
  /** Billionths of one unit. */
  readonly nano: bigint;
  /** How it is printed. */
  readonly format: QuantityFormat;
}

/** `BinarySI`: Ki, Mi, Gi; `DecimalSI`: m, k, M; `DecimalExponent`: e3, e6. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** A string that is not a quantity. The message is the one API servers give. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const nanoPerUnit = 1_000_000_000n;
const nanoPerMilli = 1_000_000n;
/** Amounts of binary suffixes beyond this many are taken for this many. */
const maxNano = (2n ** 63n - 1n) * nanoPerUnit;

/** `units` whole units. */
export function quantity(units: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nano: BigInt(units) * nanoPerUnit, format };
}

/** `milli` thousandths of a unit: `milliQuantity(250)` is a quarter of a cpu. */
export function milliQuantity(milli: bigint | number): Quantity {
  return { nano: BigInt(milli) * nanoPerMilli, format: 'DecimalSI' };
}

/** Nothing of it. */
export const zeroQuantity: Quantity = { nano: 0n, format: 'DecimalSI' };

/**
 * Reads a quantity; a JSON number counts as its text. Digits beyond a billionth
 * round away from zero, amounts of binary suffixes beyond 2^63-1 units are cut to that.
 * @throws QuantityError
 */
export function parseQuantity(text: string | number): Quantity {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[+-]?\d*)$/.exec(String(text));
  if (!match || text === '') throw new QuantityError(malformed);
  // Where there is a suffix only, there is nothing of it.
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const { base, exponent, format } = scaleOf(suffix);
  const nano = scaled(BigInt(whole + fraction), fraction.length, base, exponent);
  return { nano: sign === '-' ? -nano : nano, format };
}

const malformed = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

interface Scale {
  readonly base: 2n | 10n;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function scaleOf(suffix: string): Scale {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { base: 10n, exponent: decimal * 3 - 9, format: 'DecimalSI' };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { base: 2n, exponent: binary * 10 + 10, format: 'BinarySI' };
  if (/^[eE][+-]?\d+$/.test(suffix)) {
    return { base: 10n, exponent: Number(suffix.slice(1)), format: 'DecimalExponent' };
  }
  throw new QuantityError("unable to parse quantity's suffix");
}

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** digits / 10^places * base^exponent in billionths, rounded up and cut to the most there is. */
function scaled(digits: bigint, places: number, base: 2n | 10n, exponent: number): bigint {
  if (digits === 0n) return 0n;
  if (base === 2n) {
    return least(maxNano, dividedUp(digits * 2n ** BigInt(exponent) * nanoPerUnit, 10n ** BigInt(places)));
  }
  const shift = exponent - places + 9;
  // Far outside what can be told apart, and perhaps too far to be computed.
  if (shift > 1_000) return maxNano;
  if (shift < -digits.toString().length) return 1n;
  return shift >= 0 ? digits * 10n ** BigInt(shift) : dividedUp(digits, 10n ** BigInt(-shift));
}

/** The canonical text: no fraction, the largest suffix that stays exact, binary suffixes only for 1024 and more. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  const units = size / nanoPerUnit;
  if (format === 'BinarySI' && units >= 1024n && size % nanoPerUnit === 0n) {
    return sign + withSuffix(units, 1024n, ['', ...binarySuffixes]);
  }
  return sign + (format === 'DecimalExponent' ? withExponent(size) : withSuffix(size, 1000n, decimalSuffixes));
}

/** Billionths, with the largest exponent in steps of three that stays exact. */
function withExponent(nano: bigint): string {
  const steps = Math.floor((/0*$/.exec(String(nano))?.[0].length ?? 0) / 3);
  const exponent = steps * 3 - 9;
  return `${nano / 1000n ** BigInt(steps)}${exponent === 0 ? '' : `e${exponent}`}`;
}

function withSuffix(amount: bigint, step: bigint, suffixes: readonly string[]): string {
  let rest = amount;
  let at = 0;
  while (rest % step === 0n && at < suffixes.length - 1) {
    rest /= step;
    at++;
  }
  return `${rest}${suffixes[at]}`;
}

/** Below 0, 0 or above 0 as `a` is less than, equal to or more than `b`, whatever their formats. */
export function compareQuantity(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** The sum, in the format of the first that is not zero. */
export function addQuantity(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** The difference, which may be negative, in the format of `a` unless that is zero. */
export function subtractQuantity(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano - b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** The larger one; `a` when they are equal. */
export function maxQuantity(a: Quantity, b: Quantity): Quantity {
  return b.nano > a.nano ? b : a;
}

/** Thousandths of a unit, rounded away from zero: milli-cpu. */
export function milli(amount: Quantity): bigint {
  return roundedUp(amount.nano, nanoPerMilli);
}

/** Whole units, rounded away from zero: bytes, pods. */
export function wholeUnits(amount: Quantity): bigint {
  return roundedUp(amount.nano, nanoPerUnit);
}

function roundedUp(nano: bigint, unit: bigint): bigint {
  return nano < 0n ? -dividedUp(-nano, unit) : dividedUp(nano, unit);
}

function dividedUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
