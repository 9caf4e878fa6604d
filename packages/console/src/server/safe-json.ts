import { printable } from '@slipway/safe-yaml/printable';

/** JSON in which strings from the cluster, such as names and messages, cannot reorder or hide the text around them. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? printable(part) : typeof part === 'bigint' ? String(part) : part,
  );
}
