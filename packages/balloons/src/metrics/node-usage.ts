import {
  DenialLog,
  type Kube,
  type KubeObject,
  type Logger,
  type ResourceRef,
  type Runnable,
  sleep,
} from '@slipway/kube';
import { keys } from '../api/group.js';
import { type Amounts, type AmountsText, minus, nothing, parseAmounts, plus } from '../planner/amounts.js';
import type { BalloonWorld } from '../world/balloon-world.js';

const measured = (kind: string, plural: string, namespaced: boolean): ResourceRef => ({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind,
  plural,
  namespaced,
});
const NodeMetrics = measured('NodeMetrics', 'nodes', false);
const PodMetrics = measured('PodMetrics', 'pods', true);

/** Metrics servers measure every 15 s or more. */
const everyMs = 30_000;

/**
 * Polls from the metrics API what pods actually use of each node, without the usage of balloon pods. In a cluster without
 * that API the result is empty.
 */
export class NodeUsage implements Runnable {
  readonly name = 'balloon-node-usage';
  readonly #kube: Kube;
  readonly #world: Pick<BalloonWorld, 'balloonNames'>;
  readonly #namespace: string;
  readonly #denials: DenialLog;
  #usage: ReadonlyMap<string, Amounts> = new Map();

  constructor(kube: Kube, world: Pick<BalloonWorld, 'balloonNames'>, namespace: string, log: Logger) {
    this.#denials = new DenialLog(log);
    this.#kube = kube;
    this.#world = world;
    this.#namespace = namespace;
  }

  all(): ReadonlyMap<string, Amounts> {
    return this.#usage;
  }

  async start(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#usage = await this.#read(signal).catch((error: unknown) => {
        this.#denials.report('the usage of nodes is not known', error);
        return new Map();
      });
      await sleep(this.#kube.clock, everyMs, signal).catch(() => {});
    }
  }

  async #read(signal: AbortSignal): Promise<ReadonlyMap<string, Amounts>> {
    const [nodes, balloons] = await Promise.all([
      this.#kube.resource(NodeMetrics).list({ signal }),
      balloonUsage(this.#kube, this.#namespace, signal),
    ]);
    const nameOn = this.#world.balloonNames();
    return new Map(
      nodes.items.map((object) => {
        const { name = '' } = object.metadata;
        const own = balloons.get(nameOn.get(name) ?? '') ?? nothing;
        return [name, minus(parseAmounts(object.usage), own)];
      }),
    );
  }
}

/**
 * Returns the usage of balloon pods by pod name, from the metrics API.
 * @throws StatusError where the cluster has no metrics API.
 */
export async function balloonUsage(
  kube: Kube,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Amounts>> {
  const { items } = await kube.resource(PodMetrics).list({ namespace, labelSelector: `${keys.balloon}=true`, signal });
  return new Map(items.map((pod) => [pod.metadata.name ?? '', usedBy(pod)]));
}

function usedBy(pod: KubeObject): Amounts {
  const containers: readonly { readonly usage?: AmountsText }[] = pod.containers ?? [];
  return containers.reduce((sum, { usage }) => plus(sum, parseAmounts(usage)), nothing);
}
