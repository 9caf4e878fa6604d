/** How Kubernetes holds a quantity: a whole number times a power of ten. */
export interface QuantityForm {
  /** The digits that were written, without zeros before them. */
  readonly digits: string;
  /** Of the power of ten. */
  readonly exponent: number;
  /** Whether they are too many, or too small a part, for a number of 64 bits: it is held in billionths. */
  readonly isLong: boolean;
  readonly isBinary: boolean;
  /** Whether there are digits before the point, beside zeros. */
  readonly isWhole: boolean;
}

const decimals = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binaries = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Reads the form of a text that is a quantity. */
export function quantityForm(text: string): QuantityForm {
  const [, whole = '', fraction = '', suffix = ''] = /^[+-]?0*(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const step = binaries.indexOf(suffix) + 1;
  const isBinary = step > 0;
  const isExponent = /^[eE][-+\d]/.test(suffix);
  const power = isExponent ? Number(suffix.slice(1)) : decimals.indexOf(suffix) * 3 - 9;
  const exponent = isBinary ? 0 : power - fraction.length;
  const count = Math.max(1, whole.length) + fraction.length;
  const isLong = isBinary ? fraction !== '' || count + step * 3 > 14 : exponent < -9 || count > 18;
  return { digits: whole + fraction, exponent: isLong ? -9 : exponent, isLong, isBinary, isWhole: whole !== '' };
}
