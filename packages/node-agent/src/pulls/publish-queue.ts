import type { Owner } from '@slipway/feature-gates';
import { apiVersionOf, type Kube, type Logger } from '@slipway/kube';
import { NodePullQueue, type NodePullQueueSpec } from '../api/node-pull-queue.js';
import type { QueueContent } from './describe-queue.js';
import { isWriteDue, leaseSecondsOf, type Written } from './write-due.js';

interface PublisherOptions {
  readonly kube: Kube;
  /** The Node, whose name the object has, and with which it is deleted. */
  readonly owner: Owner;
  readonly log: Logger;
  /** Numbers from 0 up to 1. */
  readonly random: () => number;
}

const retryMs = 30_000;

/** Keeps the NodePullQueue of one node up to date. */
export class QueuePublisher {
  readonly #options: PublisherOptions;
  #written: (Omit<Written, 'agoMs'> & { readonly atMs: number }) | undefined;
  #notBeforeMs = 0;
  #isFailing = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Writes the queue if that is due. Never rejects: what fails is logged once and tried again. */
  async publish(content: QueueContent, signal: AbortSignal): Promise<void> {
    const { kube, owner, log, random } = this.#options;
    const nowMs = kube.clock.monotonicMs();
    const written = this.#written && { ...this.#written, agoMs: nowMs - this.#written.atMs };
    if (nowMs < this.#notBeforeMs || !isWriteDue(written, content, 0.9 + 0.2 * random())) return;
    const spec: NodePullQueueSpec = {
      ...content,
      renewTime: new Date(kube.clock.now()).toISOString(),
      leaseDurationSeconds: leaseSecondsOf(content),
    };
    try {
      await kube.resource(NodePullQueue).apply(
        {
          apiVersion: apiVersionOf(NodePullQueue),
          kind: NodePullQueue.kind,
          metadata: { name: owner.name, ownerReferences: [owner] },
          spec,
        },
        { fieldManager: 'slipway-node-agent', force: true, signal },
      );
      this.#written = { content, atMs: nowMs };
      this.#isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!this.#isFailing) log.warn('the pull queue of this node cannot be written', { error: String(error) });
      this.#isFailing = true;
      this.#notBeforeMs = nowMs + retryMs;
    }
  }
}
