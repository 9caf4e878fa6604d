import { registryOf, repositoryOf } from '../cri/image-reference.js';
import type { PullClock } from '../limiter/clock.js';
import { type ContentStore, type Ingest, NoContentError } from '../runtime/content-store.js';
import { type Descriptor, descriptorsOf, type ImageProgress, manifestOf, progressOf } from './image-progress.js';

/** A pull that runs, as far as its progress is concerned. */
export interface WatchedPull {
  readonly id: number;
  readonly image: string;
  readonly runningMs: number;
}

/** How a pull gets on. Exact to 1 MiB, which is what containerd writes at once. */
export interface PullProgress extends ImageProgress {
  /** The registry is asked, layers come, or they are all there and are unpacked. */
  readonly phase: 'resolving' | 'fetching' | 'unpacking';
  /** Over the last samples; 0 before the second. */
  readonly bytesPerSecond: number;
  /** How long nothing has come. */
  readonly idleMs: number;
}

export interface ProgressWatchOptions {
  readonly store: ContentStore;
  readonly clock: PullClock;
  readonly pulls: () => readonly WatchedPull[];
  /** Above this a pull of which no byte came is stalled; read for every sample. */
  readonly stallAfterMs: () => number;
  readonly onStalled: (id: number, idleMs: number) => void;
  readonly onMoved: (id: number) => void;
}

interface Watched {
  readonly progress: PullProgress;
  readonly manifest: string | undefined;
  readonly atMs: number;
  readonly changedAtMs: number;
  readonly isStalled: boolean;
}

const lookedEveryMs = 500;
const lookedForMs = 3_000;
/** Who looks is answered with what is known when the runtime takes longer. */
const lookMs = 300;
const sampleMs = 5_000;
/** A pull that takes less is not looked at. */
const longMs = 5_000;
const maxPulls = 64;
const maxManifests = 256;

/**
 * Follows the bytes of the pulls that run, where the runtime shows them: often while a client watches, now and then
 * when a pull takes long, and otherwise not at all. Reading never holds up a pull.
 */
export class ProgressWatch {
  readonly #options: ProgressWatchOptions;
  readonly #watched = new Map<number, Watched>();
  readonly #manifests = new Map<string, readonly Descriptor[]>();
  readonly #stop = new AbortController();
  #fidelity: 'exact' | 'none' = 'exact';
  #lookedAtMs = -Infinity;
  #sampledAtMs = -Infinity;
  #sampling: Promise<void> | undefined;
  #timer: { cancel(): void } | undefined;

  constructor(options: ProgressWatchOptions) {
    this.#options = options;
  }

  /** `exact` until the runtime has said that it has no content store. */
  get fidelity(): 'exact' | 'none' {
    return this.#fidelity;
  }

  /** The runtime is there, perhaps another one. */
  runtimeBack(): void {
    this.#fidelity = 'exact';
    this.wake();
  }

  /** A pull has begun. */
  wake(): void {
    this.#timer ??= this.#options.clock.after(this.#pauseMs(), () => {
      this.#timer = undefined;
      void this.#sample().then(() => this.#options.pulls().length > 0 && this.wake());
    });
  }

  /** What is known of each pull, fresh enough for a client that watches now. */
  async look(): Promise<ReadonlyMap<number, PullProgress>> {
    const nowMs = this.#options.clock.monotonicMs();
    this.#lookedAtMs = nowMs;
    if (nowMs - this.#sampledAtMs >= lookedEveryMs) await this.#atMost(lookMs, this.#sample());
    return new Map([...this.#watched].map(([id, { progress }]) => [id, progress]));
  }

  /** The layers that a pull which began at this time has brought, and their bytes. Undefined when unknown. */
  async fetchedBy(image: string, startedMs: number): Promise<{ bytes: number; layers: number } | undefined> {
    if (this.#fidelity === 'none') return undefined;
    const { store } = this.#options;
    try {
      const blobs = await store.blobsOf(registryOf(image), repositoryOf(image), this.#stop.signal);
      const manifest = manifestOf(blobs, [], startedMs);
      if (!manifest) return { bytes: 0, layers: 0 };
      const layers = new Set((await this.#layersOf(manifest.digest, this.#stop.signal)).map(({ digest }) => digest));
      const fresh = blobs.filter(({ digest, createdMs }) => layers.has(digest) && createdMs >= startedMs);
      return { bytes: fresh.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), layers: fresh.length };
    } catch (error) {
      this.#noteFailure(error);
      return undefined;
    }
  }

  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    let over = { cancel: () => {} };
    const late = new Promise<void>((resolve) => {
      over = this.#options.clock.after(ms, resolve);
    });
    await Promise.race([work, late]);
    over.cancel();
  }

  close(): void {
    this.#timer?.cancel();
    this.#stop.abort(new Error('closed'));
  }

  #pauseMs(): number {
    const { clock, stallAfterMs } = this.#options;
    if (clock.monotonicMs() - this.#lookedAtMs < lookedForMs) return lookedEveryMs;
    return Math.max(lookedEveryMs, Math.min(longMs, stallAfterMs() / 4));
  }

  async #sample(): Promise<void> {
    if (this.#fidelity === 'none' || this.#stop.signal.aborted) return;
    this.#sampling ??= this.#sampleOnce().finally(() => {
      this.#sampling = undefined;
    });
    await this.#sampling;
  }

  async #sampleOnce(): Promise<void> {
    const { store, clock, pulls } = this.#options;
    const giveUp = new AbortController();
    const over = clock.after(sampleMs, () => giveUp.abort(new Error('the runtime does not answer')));
    const signal = AbortSignal.any([giveUp.signal, this.#stop.signal]);
    try {
      const ingests = await store.ingests(signal);
      for (const pull of pulls().slice(0, maxPulls)) await this.#sampleOf(pull, ingests, signal);
      const running = new Set(pulls().map(({ id }) => id));
      for (const id of this.#watched.keys()) if (!running.has(id)) this.#watched.delete(id);
      this.#sampledAtMs = clock.monotonicMs();
    } catch (error) {
      this.#noteFailure(error);
    } finally {
      over.cancel();
    }
  }

  async #sampleOf(pull: WatchedPull, ingests: readonly Ingest[], signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    const blobs = await store.blobsOf(registryOf(pull.image), repositoryOf(pull.image), signal);
    // A manifest that an earlier pull left shows only as long as one of its layers is being fetched.
    const found = manifestOf(blobs, ingests, clock.now() - pull.runningMs)?.digest;
    const manifest = found ?? this.#watched.get(pull.id)?.manifest;
    const layers = manifest === undefined ? [] : await this.#layersOf(manifest, signal);
    this.#note(pull, progressOf(layers, blobs, ingests), manifest);
  }

  #note({ id, runningMs }: WatchedPull, progress: ImageProgress, manifest: string | undefined): void {
    const nowMs = this.#options.clock.monotonicMs();
    const before = this.#watched.get(id);
    const fetching = progress.bytes < progress.totalBytes ? 'fetching' : 'unpacking';
    const phase = manifest === undefined ? 'resolving' : fetching;
    const changedAtMs = lastChange(before, { bytes: progress.bytes, phase }, nowMs, runningMs);
    const idleMs = nowMs - changedAtMs;
    const isStalled = phase !== 'unpacking' && idleMs >= this.#options.stallAfterMs();
    const bytesPerSecond = before ? rateOf(before, progress.bytes, nowMs) : 0;
    const now: PullProgress = { ...progress, phase, idleMs, bytesPerSecond };
    this.#watched.set(id, { progress: now, manifest, changedAtMs, isStalled, atMs: nowMs });
    if (isStalled && !before?.isStalled) this.#options.onStalled(id, idleMs);
    if (!isStalled && before?.isStalled) this.#options.onMoved(id);
  }

  async #layersOf(digest: string, signal: AbortSignal): Promise<readonly Descriptor[]> {
    const known = this.#manifests.get(digest);
    if (known) return known;
    const layers = descriptorsOf(await this.#options.store.read(digest, signal));
    this.#manifests.set(digest, layers);
    for (const oldest of this.#manifests.keys()) {
      if (this.#manifests.size <= maxManifests) break;
      this.#manifests.delete(oldest);
    }
    return layers;
  }

  /** A runtime that is away is asked again; one that has no content store is not. */
  #noteFailure(error: unknown): void {
    if (error instanceof NoContentError && error.isUnknown) this.#fidelity = 'none';
  }
}

/** When something of a pull moved last. What is not even resolved when it is first seen has stood since it began. */
function lastChange(
  before: Watched | undefined,
  { bytes, phase }: Pick<PullProgress, 'bytes' | 'phase'>,
  nowMs: number,
  runningMs: number,
): number {
  if (!before) return phase === 'resolving' ? nowMs - runningMs : nowMs;
  return before.progress.bytes === bytes && before.progress.phase === phase ? before.changedAtMs : nowMs;
}

/** Half of what it was and half of what came since, so that pieces of 1 MiB do not make it jump. */
function rateOf({ progress, atMs }: Watched, bytes: number, nowMs: number): number {
  const sinceMs = nowMs - atMs;
  if (sinceMs <= 0) return progress.bytesPerSecond;
  const now = (Math.max(0, bytes - progress.bytes) / sinceMs) * 1_000;
  return progress.bytesPerSecond === 0 ? now : (progress.bytesPerSecond + now) / 2;
}
