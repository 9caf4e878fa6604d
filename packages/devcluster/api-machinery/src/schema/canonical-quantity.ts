import { formatQuantity, parseQuantity, QuantityError } from '@slipway/kube';

const alreadyCanonical = /^(?:0|[1-9]\d{0,2}(?:[mkMGTPE]|[KMGTPE]i)?)$/;
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
  return formatQuantity(parseQuantity(text));
}
