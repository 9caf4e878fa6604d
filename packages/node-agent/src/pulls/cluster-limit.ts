import { DenialLog, type Kube, type Labels, type Lister, type Logger, type ResourceRef } from '@slipway/kube';
import type { PullLimit } from '../api/pull-limit.js';
import { chooseLimit } from './choose-limit.js';
import type { PullLimitGate } from './pull-limit-gate.js';
import type { PullLimiterPort, PullQueue } from './pull-queue.js';

export interface ClusterLimitOptions {
  readonly kube: Kube;
  readonly node: string;
  readonly limiter: PullLimiterPort;
  readonly gate: PullLimitGate;
  /** Every PullLimit of the cluster; undefined until they are listed. */
  readonly limits: () => ReturnType<Lister<PullLimit>['list']> | undefined;
  readonly log: Logger;
}

/** The queue of a limiter, and the PullLimit that was brought to it. */
interface Brought {
  readonly queue: PullQueue;
  readonly pullLimit?: PullLimit;
}

/** How long a node keeps the limit of a cluster that cannot be reached. */
const expiresMs = 3_600_000;
const labelsAgainMs = 60_000;

const Node: ResourceRef = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

/** Brings the PullLimit that counts for this node to its pull limiter. */
export class ClusterLimit {
  readonly #options: ClusterLimitOptions;
  readonly #denials: DenialLog;
  #node: { readonly labels: Labels; readonly readMs: number } | undefined;
  #labelsDueMs = 0;
  #isRefused = false;

  constructor(options: ClusterLimitOptions) {
    this.#denials = new DenialLog(options.log);
    this.#options = options;
  }

  /**
   * Sets the limit, or withdraws it where no PullLimit counts or the gate is off, and reads the queue. The limit expires
   * an hour after the API server last answered: a limit that can no longer be changed does not stay.
   * @throws what the limiter throws while it does not answer
   */
  async bring(signal: AbortSignal): Promise<Brought> {
    const { limiter, gate, limits } = this.#options;
    const position = gate.position;
    const known = limits();
    if (position === 'off') return await this.#steer('off');
    if (position !== 'on' || !known) return { queue: await limiter.state() };
    if (known.length > 0) await this.#readLabels(signal);
    if (known.length > 0 && !this.#node) return { queue: await limiter.state() };
    return await this.#steer('on', chooseLimit(known, this.#node?.labels));
  }

  async #steer(position: 'on' | 'off', pullLimit?: PullLimit): Promise<Brought> {
    const { limiter, gate, log } = this.#options;
    const forMs = expiresMs + (this.#node?.readMs ?? 0) - this.#nowMs;
    try {
      const isDue = pullLimit && forMs > 0;
      const queue = isDue
        ? await limiter.setClusterLimit(pullLimit.spec.maxParallelImagePulling, forMs)
        : await limiter.withdrawClusterLimit();
      this.#isRefused = false;
      gate.reached(position);
      return { queue, ...(isDue && { pullLimit }) };
    } catch (error) {
      const queue = await limiter.state();
      if (!this.#isRefused)
        log.warn('the pull daemon does not take the limit of the cluster', { error: String(error) });
      this.#isRefused = true;
      // Whether it still has one that it took before is not known.
      if (position === 'on') gate.reached('on');
      return { queue };
    }
  }

  /** Reads the labels of the node now and then. What was read before counts while that fails. */
  async #readLabels(signal: AbortSignal): Promise<void> {
    const { kube, node } = this.#options;
    if (this.#nowMs < this.#labelsDueMs) return;
    this.#labelsDueMs = this.#nowMs + labelsAgainMs;
    const object = await kube
      .resource(Node)
      .get({ name: node }, signal)
      .catch((error: unknown) => this.#denials.report('the labels of the node are not known', error));
    if (object) this.#node = { labels: object.metadata.labels, readMs: this.#nowMs };
  }

  get #nowMs(): number {
    return this.#options.kube.clock.monotonicMs();
  }
}
