import { formatQuantity, parseQuantity, QuantityError } from '@slipway/kube';
import { quantityForm } from './quantity-form.js';

const alreadyCanonical = /^(?:0|[1-9]\d{0,2}(?:[mkMGTP]|[KMGT]i)?)$/;
/** No amount needs more; numbers of a million digits take long to read. */
const longest = 1_000;

/**
 * The form in which Kubernetes writes a quantity back.
 * @throws QuantityError
 */
export function canonicalQuantity(text: string): string {
  return written(text, 1n);
}

const nanoPerMilli = 1_000_000n;

/**
 * The same for an amount of a resource, which Kubernetes rounds up to thousandths.
 * @throws QuantityError
 */
export function canonicalAmount(text: string): string {
  return written(text, nanoPerMilli);
}

/** @param unit the billionths that are rounded up to */
function written(text: string, unit: bigint): string {
  // Nearly all quantities people write are in that form.
  if (alreadyCanonical.test(text)) return text;
  if (text.length > longest) throw new QuantityError('unable to parse numeric part of quantity');
  const { nano, format } = parseQuantity(text);
  const odd = nano % unit;
  if (odd !== 0n) return formatQuantity({ nano: nano - odd + (nano < 0n ? -unit : unit), format });
  return isKept(text) ? text : formatQuantity({ nano, format });
}

/** Kubernetes writes a text back as it was given where its digits are few and their last is a step of a suffix: `1.125`. */
function isKept(text: string): boolean {
  const { digits, exponent, isLong, isBinary, isWhole } = quantityForm(text);
  if (isLong || !isWhole) return false;
  return isBinary ? BigInt(digits) % 8n !== 0n : exponent % 3 === 0 && !digits.endsWith('000');
}
