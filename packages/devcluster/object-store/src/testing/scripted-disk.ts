import type { Commit, DurableLog, LogRecord } from '../durable-log.js';
import { settle } from './writes.js';

/** A durable layer that commits when told to, and keeps what it took, as a disk does. */
export class ScriptedDisk {
  readonly kept: LogRecord[] = [];
  readonly compacted = new Map<string, number>();
  readonly commits: Commit[] = [];
  #under: { commit: Commit; resolve: () => void; reject: (error: unknown) => void } | undefined;

  log(): DurableLog {
    return {
      load: () => ({ records: [...this.kept], compacted: new Map(this.compacted) }),
      commit: (commit) =>
        new Promise((resolve, reject) => {
          this.commits.push(commit);
          this.#under = { commit, resolve, reject };
        }),
      gather: (next) => queueMicrotask(next),
      close: () => Promise.resolve(),
    };
  }

  /** Power loss: what was under way never happened. */
  crash(): void {
    this.#under = undefined;
  }

  /** Ends the commit under way. Returns whether there was one. */
  async end(error?: unknown): Promise<boolean> {
    await settle();
    const under = this.#under;
    if (!under) return false;
    this.#under = undefined;
    if (error) {
      under.reject(error);
    } else {
      this.kept.push(...under.commit.records);
      const gone = new Set(under.commit.forget);
      const left = this.kept.filter(({ revision }) => !gone.has(revision));
      this.kept.splice(0, this.kept.length, ...left);
      for (const [resource, revision] of under.commit.compacted) this.compacted.set(resource, revision);
      under.resolve();
    }
    await settle();
    return true;
  }
}
