import type { Call } from '../core.js';

/** Bodies of more bytes hold so much that every step of a write takes milliseconds. */
const mostInTurn = 128 * 1024;

/** Lets others have their turn between two steps of a large write; undefined for all that are small. */
export function restIn({ request: { body } }: Pick<Call, 'request'>): Promise<void> | undefined {
  if (!body || !('bytes' in body) || body.bytes.length <= mostInTurn) return undefined;
  return new Promise((resolve) => setImmediate(resolve));
}
