import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.js';

/** A token in a file that others renew: read again when it was read a minute ago. */
export function tokenFile(path: string, clock: Clock): () => Promise<string> {
  let last: { readonly token: string; readonly atMs: number } | undefined;
  return async () => {
    if (last && clock.monotonicMs() - last.atMs < 60_000) return last.token;
    try {
      last = { token: (await readFile(path, 'utf8')).trim(), atMs: clock.monotonicMs() };
    } catch (error) {
      // A file being replaced may be missing for a moment; the token before is good for longer than that.
      if (!last) throw error;
    }
    return last.token;
  };
}
