import { keyOf } from '@slipway/kube';
import type { Feature } from '../api/feature.js';

/** What this server wrote of a Feature last. */
interface Written {
  readonly atMs: number;
  readonly generation: number | undefined;
  /** The version that it made. */
  readonly last: string;
  /** Versions that this server has read or made on the way there. */
  readonly versions: ReadonlySet<string>;
}

/** A server that finds another writer at work on a Feature rests this long before it writes again. */
const restMs = 1_000;

/**
 * Keeps two servers that both believe to lead, and see different things, from
 * answering each other as fast as the API server can: each may write what it
 * sees, once a second.
 */
export class Contention {
  readonly #monotonicMs: () => number;
  readonly #written = new Map<string, Written>();

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  wrote(before: Feature, after: Feature): void {
    const atMs = this.#monotonicMs();
    const known = this.#written.get(keyOf(before));
    const versions = [
      ...(known && atMs - known.atMs < restMs ? known.versions : []),
      versionOf(before),
      versionOf(after),
    ];
    const { generation } = after.metadata;
    this.#written.set(keyOf(before), { atMs, generation, last: versionOf(after), versions: new Set(versions) });
  }

  /**
   * How long to wait before this version of a Feature is acted on: a while if another writer has just
   * written its status, `gatherMs` after its own write, which said all there was to say, and else 0.
   */
  waitMs(feature: Feature, gatherMs: number): number {
    const known = this.#written.get(keyOf(feature));
    if (!known) return 0;
    const restedMs = this.#monotonicMs() - known.atMs;
    if (known.last === versionOf(feature)) return Math.max(0, gatherMs - restedMs);
    if (restedMs >= restMs) {
      this.#written.delete(keyOf(feature));
      return 0;
    }
    // What a person asks for is not answered later for that.
    const isOthers = !known.versions.has(versionOf(feature)) && known.generation === feature.metadata.generation;
    return isOthers ? restMs - restedMs : 0;
  }
}

function versionOf({ metadata }: Feature): string {
  return metadata.resourceVersion ?? '';
}
