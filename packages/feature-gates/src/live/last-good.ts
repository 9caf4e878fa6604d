import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { fieldOf } from '../uses/transport.js';
import type { LiveGates } from './live-gates.js';
import { type Published, readPublishedValue } from './published.js';

/** The published values that were last in effect, kept for a start without the API. */
export interface LastGood {
  /** `metadata.uid` of the namespace kube-system: says which cluster the values are of. */
  readonly clusterUid: string;
  readonly savedAtMs: number;
  readonly values: ReadonlyMap<string, Published>;
}

const longestMs = 30 * 24 * 3_600_000;

/**
 * Reads the file, synchronously, so that its values are there before the first gate
 * is asked. Undefined when it is missing, unreadable or 30 days old.
 */
export function readLastGood(path: string, nowMs: number): LastGood | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const clusterUid = fieldOf(content, 'clusterUid');
    const savedAtMs = Date.parse(String(fieldOf(content, 'savedAt')));
    const values = fieldOf(content, 'values');
    const ageMs = nowMs - savedAtMs;
    // A clock that was set back is not a reason to forget.
    if (typeof clusterUid !== 'string' || !(Math.abs(ageMs) < longestMs)) return undefined;
    if (typeof values !== 'object' || values === null) return undefined;
    const usable = new Map<string, Published>();
    for (const [gate, saved] of Object.entries(values)) {
      const published = readPublishedValue(saved);
      if (published) usable.set(gate, published);
    }
    return { clusterUid, savedAtMs, values: usable };
  } catch {
    return undefined;
  }
}

/** Puts the values of the file into effect where no code acted on another value yet, so that there is nothing to hand over. */
export function takeLastGood(gates: LiveGates, values: ReadonlyMap<string, Published> = new Map()): void {
  for (const gate of gates.names) {
    const value = values.get(gate)?.value;
    if (value === undefined || gates.isPinned(gate) || gates.wasRead(gate)) continue;
    if (gates.refusalOf(gate, value) === undefined) gates.accept(gate, value);
  }
}

/** Replaces the file in one step, readable by its owner only. Rejects when the disk does not let it. */
export async function writeLastGood(path: string, lastGood: LastGood): Promise<void> {
  const { clusterUid, savedAtMs, values } = lastGood;
  const content = { clusterUid, savedAt: new Date(savedAtMs).toISOString(), values: Object.fromEntries(values) };
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(content)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
