import { type Clock, isConditionTrue, type KubeObject, type Lister } from '@slipway/kube';
import type { NodeSize, NodeSizeStatus } from '../api/node-size.js';
import type { PodShare } from '../nodes/requested-amounts.js';
import { type Amounts, type AmountsText, parseAmounts, resources } from '../planner/amounts.js';
import { Counter, DurationHistogram, metricText, type Sample } from './exposition.js';

/** Seconds that a resize may take, from the optimistic to the given up. */
const resizeBounds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60];
/** A pod that is lost this soon after a balloon grew was lost because of it. */
const harmWithinMs = 5_000;

/** A change of an object, as informers tell it. */
interface Seen<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  readonly previous?: T | undefined;
}

/**
 * What Prometheus is told of balloons: what does not exist is never among what is in use.
 * Made from the objects alone, so that it says of the cluster what anybody can check there.
 */
export class BalloonMetrics {
  readonly #clock: Clock;
  readonly #resizes = new Counter();
  readonly #durations = new DurationHistogram(resizeBounds);
  readonly #lost = new Counter();
  readonly #harm = new Counter();
  readonly #exposed = new Counter();
  readonly #exposedSinceMs = new Map<string, number>();
  #sizes: Pick<Lister<NodeSize>, 'list' | 'get'> = { list: () => [], get: () => undefined };

  constructor(clock: Clock) {
    this.#clock = clock;
    for (const kind of ['preempted', 'rejected']) this.#harm.add({ kind }, 0);
  }

  /** Gauges come from this cache from now on. */
  readFrom(sizes: Pick<Lister<NodeSize>, 'list' | 'get'>): void {
    this.#sizes = sizes;
  }

  /** A NodeSize changed: a resize may have ended. What ended before we looked is not counted. */
  sizeChanged({ type, object, previous }: Seen<NodeSize>): void {
    const name = object.metadata.name ?? '';
    this.#countExposed(name, type === 'deleted' ? undefined : object.status);
    const last = object.status?.lastResize;
    if (type !== 'updated' || !last || last.id === previous?.status?.lastResize?.id) return;
    const { direction, result, durationMs } = last;
    this.#resizes.add({ direction, result });
    this.#durations.add({ direction }, durationMs / 1000);
  }

  /** A pod that is no balloon changed. */
  podChanged({ object, previous }: Seen<PodShare>): void {
    const { failure, node, isBalloon } = object.share;
    if (isBalloon || failure === undefined || previous?.share.failure === failure || !previous) return;
    const kind = /^OutOf(cpu|memory)$/.test(failure) ? 'rejected' : failure === 'Preempting' ? 'preempted' : undefined;
    if (kind && this.#justShrank(node)) this.#harm.add({ kind });
  }

  /** A balloon pod changed. */
  balloonChanged({ type, object, previous }: Seen<KubeObject>): void {
    const isNews = object.status?.phase === 'Failed' && previous?.status?.phase !== 'Failed';
    if (type === 'updated' && isNews) this.#lost.add({ cause: causeOf(object.status?.reason) });
  }

  /** The page, in the Prometheus text format. */
  page(): string {
    const sizes = this.#sizes.list();
    const gauge = (name: string, help: string, of: (status: NodeSizeStatus) => AmountsText | undefined) =>
      metricText(`slipway_node_${name}`, 'gauge', help, amountSamples(sizes, of));
    const counted = (holds: (size: NodeSize) => boolean) => [{ labels: {}, value: sizes.filter(holds).length }];
    const isFenced = ({ status }: NodeSize) => isConditionTrue(status?.conditions, 'Fenced');
    for (const { metadata, status } of sizes) this.#countExposed(metadata.name ?? '', status);
    return [
      gauge('hardware', 'What the machine has.', ({ hardware }) => hardware),
      gauge('allocatable', 'What the kubelet has for pods.', ({ allocatable }) => allocatable),
      metricText('slipway_node_balloon', 'gauge', 'What does not exist for pods.', [
        ...amountSamples(sizes, ({ balloon }) => balloon?.desired, { state: 'desired' }),
        ...amountSamples(sizes, ({ balloon }) => balloon?.allocated, { state: 'allocated' }),
      ]),
      gauge('size', 'What pods may use.', ({ size }) => size),
      gauge('requested', 'What pods ask for, balloons apart.', ({ requested }) => requested),
      gauge('free', 'What is left of the size.', ({ free }) => free),
      gauge('granted', 'What the actuator says exists.', ({ actuator }) => actuator?.granted),
      metricText(
        'slipway_balloon_open_tickets',
        'gauge',
        'Resizes at work.',
        counted((size) => hasTicket(size)),
      ),
      metricText('slipway_balloon_fenced_nodes', 'gauge', 'Nodes that keep new pods away.', counted(isFenced)),
      metricText('slipway_balloon_resizes_total', 'counter', 'Resizes that ended.', this.#resizes.samples()),
      metricText(
        'slipway_balloon_resize_duration_seconds',
        'histogram',
        'How long resizes took.',
        this.#durations.samples(),
      ),
      metricText('slipway_balloon_lost_total', 'counter', 'Balloon pods that were lost.', this.#lost.samples()),
      metricText(
        'slipway_balloon_exposed_seconds_total',
        'counter',
        'Time in which nodes promised more than was granted.',
        this.#exposed.samples(),
      ),
      metricText('slipway_balloon_harm_total', 'counter', 'Pods lost because of a balloon.', this.#harm.samples()),
    ].join('');
  }

  #justShrank(node: string): boolean {
    const { resize, lastResize } = this.#sizes.get({ name: node })?.status ?? {};
    if (resize && resize.direction !== 'Up') return true;
    if (!lastResize || lastResize.direction === 'Up') return false;
    return this.#clock.now() - Date.parse(lastResize.finishedAt) <= harmWithinMs;
  }

  #countExposed(node: string, status: NodeSizeStatus | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = this.#exposedSinceMs.get(node);
    if (sinceMs !== undefined) this.#exposed.add({ node }, (nowMs - sinceMs) / 1000);
    if (status && isExposed(status)) this.#exposedSinceMs.set(node, nowMs);
    else this.#exposedSinceMs.delete(node);
  }
}

function hasTicket({ status }: NodeSize): boolean {
  return status?.resize !== undefined;
}

/** Pods may use more than exists. */
function isExposed({ size, actuator }: NodeSizeStatus): boolean {
  const { granted } = actuator ?? {};
  if (!granted || !size) return false;
  const [promised, exists] = [parseAmounts(size), parseAmounts(granted)];
  return resources.some((resource) => granted[resource] !== undefined && promised[resource] > exists[resource]);
}

function causeOf(reason: unknown): string {
  if (reason === 'Preempting') return 'preempted';
  return reason === 'Evicted' ? 'evicted' : 'failed';
}

function amountSamples(
  sizes: readonly NodeSize[],
  of: (status: NodeSizeStatus) => AmountsText | undefined,
  more: Readonly<Record<string, string>> = {},
): Sample[] {
  return sizes.flatMap(({ metadata, status }) => {
    const text = status && of(status);
    if (!text) return [];
    const amounts = parseAmounts(text);
    const named = resources.filter((resource) => text[resource] !== undefined);
    return named.map((resource) => ({
      labels: { node: metadata.name ?? '', resource, unit: resource === 'cpu' ? 'core' : 'byte', ...more },
      value: inUnits(amounts, resource),
    }));
  });
}

function inUnits(amounts: Amounts, resource: keyof Amounts): number {
  return resource === 'cpu' ? Number(amounts.cpu) / 1000 : Number(amounts.memory);
}
