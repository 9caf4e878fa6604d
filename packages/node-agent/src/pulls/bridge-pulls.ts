import type { Owner } from '@slipway/feature-gates';
import { Feature } from '@slipway/features/adapters';
import { EventRecorder, InformerFactory, type Kube, type Logger, sleep } from '@slipway/kube';
import { PullLimit } from '../api/pull-limit.js';
import { ClusterLimit } from './cluster-limit.js';
import { QueueDescriber } from './describe-queue.js';
import { QueuePublisher } from './publish-queue.js';
import type { PullLimitGate } from './pull-limit-gate.js';
import type { PullLimiterPort } from './pull-queue.js';
import { WaitingPulls } from './waiting-pulls.js';

const everyMs = 5_000;

export interface PullsBridgeOptions {
  readonly kube: Kube;
  /** The Node. */
  readonly owner: Owner;
  readonly log: Logger;
  readonly limiter: PullLimiterPort;
  readonly gate: PullLimitGate;
  /** Numbers from 0 up to 1. */
  readonly random: () => number;
}

const gateFeature = { namespace: 'kube-system', fieldSelector: 'metadata.name=parallelimagepulllimit' };

/**
 * Bridges the pull limiter of a node to the API until `signal` aborts: PullLimits are applied to it, its queue is
 * published, and events `PullWaiting` are recorded on pods whose image waits for a slot.
 */
export async function bridgePulls(options: PullsBridgeOptions, signal: AbortSignal): Promise<void> {
  const { kube, owner, log, gate } = options;
  const node = owner.name;
  const informers = new InformerFactory(kube, { log });
  const limits = informers.informer(PullLimit);
  const features = informers.informer(Feature, gateFeature);
  informers.start();
  const recorder = new EventRecorder(kube, { component: 'slipway-node-agent', host: node, log });
  const waiting = new WaitingPulls();
  const describer = new QueueDescriber();
  const publisher = new QueuePublisher(options);
  const listLimits = () => (limits.synced() ? limits.lister.list() : undefined);
  const cluster = new ClusterLimit({ ...options, node, limits: listLimits });
  while (!signal.aborted) {
    if (features.synced()) gate.hear(features.lister.list()[0]);
    // Whether a limiter answers is reported with its gate.
    const seen = await cluster.bring(signal).catch(() => undefined);
    if (seen) {
      for (const { pod, message } of waiting.observe(seen.queue)) recorder.event(pod, 'Normal', 'PullWaiting', message);
      await publisher.publish(describer.describe(seen.queue, seen.pullLimit, kube.clock.now()), signal);
    }
    await sleep(kube.clock, everyMs, signal).catch(() => {});
  }
  await Promise.all([recorder.flush(), informers.stop()]);
}
