/** Text does not denote a quantity; the message is the one Kubernetes answers with. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const alreadyCanonical = /^(?:0|[1-9]\d{0,2}(?:[mkMGTPE]|[KMGTPE]i)?)$/;
const parts = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const nano = 10n ** 9n;
const most = (2n ** 63n - 1n) * nano;

/**
 * The form in which Kubernetes writes a quantity back: an integer with the largest
 * suffix of its family that loses nothing. Finer than nano is rounded up.
 * @throws QuantityError
 */
export function canonicalQuantity(text: string): string {
  if (alreadyCanonical.test(text)) return text;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = parts.exec(text) ?? [];
  if (whole + fraction === '' || !/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix)) {
    throw new QuantityError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const family = familyOf(suffix);
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  if (digits.length > 1_000) throw new QuantityError('unable to parse numeric part of quantity');
  const amount = amountInNano(BigInt(digits), fraction.length, family);
  const minus = sign === '-' ? '-' : '';

  if (family.kind === 'binary' && amount >= 1024n * nano) return minus + binaryForm(amount);
  return minus + decimalForm(amount, family.kind === 'exponent');
}

type Family =
  | { readonly kind: 'binary'; readonly power: number }
  | { readonly kind: 'decimal' | 'exponent'; readonly power: number };

function familyOf(suffix: string): Family {
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { kind: 'binary', power: binary * 10 };
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { kind: 'decimal', power: (decimal - 3) * 3 };
  if (/^[eE][+-]?\d+$/.test(suffix)) return { kind: 'exponent', power: Number(suffix.slice(1)) };
  throw new QuantityError("unable to parse quantity's suffix");
}

function amountInNano(digits: bigint, places: number, family: Family): bigint {
  if (family.kind === 'binary') return cap(ceilDivide((digits << BigInt(family.power)) * nano, 10n ** BigInt(places)));
  const power = family.power - places + 9;
  // Beyond these any digits allowed above are over the maximum, or less than one nano.
  if (power > 40) return most;
  if (power < -1_100) return 1n;
  return cap(power >= 0 ? digits * 10n ** BigInt(power) : ceilDivide(digits, 10n ** BigInt(-power)));
}

function cap(amount: bigint): bigint {
  return amount > most ? most : amount;
}

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function binaryForm(amount: bigint): string {
  let rest = ceilDivide(amount, nano);
  let step = 0;
  while (step < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    step++;
  }
  return `${rest}${binarySuffixes[step]}`;
}

function decimalForm(amount: bigint, exponent: boolean): string {
  let rest = amount;
  let step = 0;
  while (step < decimalSuffixes.length - 1 && rest % 1000n === 0n) {
    rest /= 1000n;
    step++;
  }
  if (!exponent || step === 3) return `${rest}${decimalSuffixes[step]}`;
  return `${rest}e${(step - 3) * 3}`;
}
