import { isPrintable, printable } from '@slipway/safe-yaml/printable';

/**
 * JSON in which strings from the cluster, such as names and messages, cannot reorder or hide the text around them. Integers
 * that are too large for a page are strings.
 */
export function safeJson(value: unknown): string {
  return plainJson(value) ?? JSON.stringify(value, safePart);
}

/** How JSON writes control characters but line feeds and tabs. */
const escapes = /\\[bfru]/;

/** Undefined where something in it must be changed, which is rare and takes three times as long. */
function plainJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return escapes.test(text) || !isPrintable(text) ? undefined : text;
  } catch (error) {
    // What JSON does not have is a bigint.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function safePart(_key: string, part: unknown): unknown {
  if (typeof part === 'string') return printable(part);
  return typeof part === 'bigint' ? String(part) : part;
}
