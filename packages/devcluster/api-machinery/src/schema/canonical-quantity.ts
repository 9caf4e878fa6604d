import { formatQuantity, parseQuantity, QuantityError } from '@slipway/kube';

const alreadyCanonical = /^(?:0|[1-9]\d{0,2}(?:[mkMGTP]|[KMGT]i)?)$/;
/** No amount needs more; numbers of a million digits take long to read. */
const longest = 1_000;

/**
 * The form in which Kubernetes writes a quantity back.
 * @throws QuantityError
 */
export function canonicalQuantity(text: string): string {
  // Nearly all quantities people write are in that form.
  if (alreadyCanonical.test(text)) return text;
  if (text.length > longest) throw new QuantityError('unable to parse numeric part of quantity');
  const read = parseQuantity(text);
  return isKept(text) ? text : formatQuantity(read);
}

const nanoPerMilli = 1_000_000n;

/**
 * The same for an amount of a resource, which Kubernetes rounds up to thousandths.
 * @throws QuantityError
 */
export function canonicalAmount(text: string): string {
  const written = canonicalQuantity(text);
  if (alreadyCanonical.test(written)) return written;
  const { nano, format } = parseQuantity(written);
  const odd = nano % nanoPerMilli;
  if (odd === 0n) return written;
  return formatQuantity({ nano: nano - odd + (nano < 0n ? -nanoPerMilli : nanoPerMilli), format });
}

const decimals = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binaries = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Kubernetes writes a text back as it was given where its digits are few and their last is a step of a suffix: `1.125`. */
function isKept(text: string): boolean {
  const [, whole = '', fraction = '', suffix = ''] = /^[+-]?0*(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const digits = whole + fraction;
  const step = binaries.indexOf(suffix) + 1;
  if (step > 0) return fraction === '' && digits.length + step * 3 <= 14 && BigInt(digits) % 8n !== 0n;
  const exponent = /^[eE]/.test(suffix) && suffix !== 'E' ? Number(suffix.slice(1)) : decimals.indexOf(suffix) * 3 - 9;
  const scale = exponent - fraction.length;
  const isExact = whole !== '' && digits.length <= 18 && scale >= -9;
  return isExact && scale % 3 === 0 && !digits.endsWith('000');
}
