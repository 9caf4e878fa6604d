import { formatQuantity, parseQuantity } from '@slipway/kube';

/** In which a byte is one unit, and a thousandth of it the smallest part that Kubernetes looks at. */
const nanosOfMilli = 1_000_000n;

/** Returns warnings about amounts of bytes that are not whole; `names` are the resources that are looked at. */
export function byteWarnings(
  amounts: Readonly<Record<string, string>> | undefined,
  names: readonly string[],
  path: string,
): string[] {
  return names.flatMap((name) => {
    const amount = amounts?.[name];
    if (amount === undefined) return [];
    const value = parseQuantity(amount);
    const milli = (value.nano + nanosOfMilli - 1n) / nanosOfMilli;
    if (milli % 1000n === 0n) return [];
    return [`${path}[${name}]: fractional byte value "${formatQuantity(value)}" is invalid, must be an integer`];
  });
}
