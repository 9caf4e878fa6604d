import { Counter, LabelledHistogram, metricText } from '@slipway/feature-gates/metrics';
import { type Clock, isConditionTrue, type KubeObject, type Lister } from '@slipway/kube';
import { keys } from '../api/group.js';
import type { NodeSize, NodeSizeStatus } from '../api/node-size.js';
import { type Amounts, parseAmounts, resources } from '../planner/amounts.js';
import type { Direction } from '../planner/plan-size.js';
import type { TimedPhase } from '../ticket/timed-phase.js';
import { nodeOf } from '../world/balloon-world.js';
import type { PodShare } from '../world/requested-amounts.js';
import { nodeGauges, samplesOf } from './node-gauges.js';
import { RunningTime } from './running-time.js';

/** Seconds that a resize may take, from the optimistic to the given up. */
const resizeBounds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60];
/** A pod that is lost this soon after a balloon grew was lost because of it. */
const harmWithinMs = 5_000;

/** How a pod is lost, by the reason in its status. */
const harmKinds: ReadonlyMap<string, string> = new Map([
  ['OutOfcpu', 'rejected'],
  ['OutOfmemory', 'rejected'],
  ['Preempting', 'preempted'],
  ['PreemptionByScheduler', 'preempted'],
  ['Evicted', 'evicted'],
]);

/** A change of an object, as informers tell it. */
interface Seen<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  readonly previous?: T | undefined;
}

/** Amounts by the name of a node. */
interface AmountsByNode {
  all(): ReadonlyMap<string, Amounts>;
}

const nobody: AmountsByNode = { all: () => new Map() };

/**
 * What Prometheus is told of balloons: what does not exist is never among what is in use.
 * Made from the objects where they say it, so that it says of the cluster what anybody can check there.
 */
export class BalloonMetrics {
  readonly #clock: Clock;
  readonly #resizes = new Counter();
  readonly #durations = new LabelledHistogram(resizeBounds);
  readonly #lost = new Counter();
  readonly #harm = new Counter();
  readonly #calls = new Counter();
  readonly #callTimes = new LabelledHistogram(resizeBounds);
  readonly #blocked = new Counter();
  readonly #exposed = new RunningTime();
  readonly #fenced = new RunningTime();
  #sizes: Pick<Lister<NodeSize>, 'list' | 'get'> = { list: () => [], get: () => undefined };
  #advice: AmountsByNode = nobody;
  #usage: AmountsByNode = nobody;

  constructor(clock: Clock) {
    this.#clock = clock;
    for (const kind of ['evicted', 'preempted', 'rejected']) this.#harm.add({ kind }, 0);
  }

  /** Gauges come from these from now on. */
  readFrom(
    sizes: Pick<Lister<NodeSize>, 'list' | 'get'>,
    advice: AmountsByNode = nobody,
    usage: AmountsByNode = nobody,
  ): void {
    this.#sizes = sizes;
    this.#advice = advice;
    this.#usage = usage;
  }

  /** A NodeSize changed: a resize may have ended. What ended before we looked is not counted. */
  sizeChanged({ type, object, previous }: Seen<NodeSize>): void {
    this.#countTimes(object.metadata.name ?? '', type === 'deleted' ? undefined : object.status);
    const last = object.status?.lastResize;
    if (type !== 'updated' || !last || last.id === previous?.status?.lastResize?.id) return;
    const { direction, result, durationMs } = last;
    this.#resizes.add({ direction, result });
    // What was answered without anything being done took no time.
    if (durationMs > 0) this.#durations.observe({ direction, phase: 'whole' }, durationMs / 1000);
  }

  /** A part of a resize is over. */
  phaseEnded({ direction, phase }: { direction: Direction; phase: TimedPhase }, tookMs: number): void {
    this.#durations.observe({ direction, phase }, tookMs / 1000);
  }

  /** A pod that is no balloon changed. */
  podChanged({ object, previous }: Seen<PodShare>): void {
    const { failure, node, isBalloon } = object.share;
    if (isBalloon || failure === undefined || previous?.share.failure === failure || !previous) return;
    const kind = harmKinds.get(failure);
    if (kind && this.#justShrank(node)) this.#harm.add({ kind });
  }

  /** A balloon pod changed. */
  balloonChanged({ type, object, previous }: Seen<KubeObject>): void {
    const hasFailed = object.status?.phase === 'Failed';
    if (type === 'updated' && hasFailed && previous?.status?.phase !== 'Failed')
      this.#lost.add({ cause: causeOf(object.status?.reason) });
    if (type === 'deleted' && !hasFailed && this.#isManaged(nodeOf(object))) this.#lost.add({ cause: 'deleted' });
  }

  actuatorAnswered(labels: { actuator: string; verb: string; result: string }, tookMs: number): void {
    this.#calls.add(labels);
    this.#callTimes.observe({ actuator: labels.actuator, verb: labels.verb }, tookMs / 1000);
  }

  /** A node that could be smaller is left as it is from now on. */
  autosizeBlocked(reason: string): void {
    this.#blocked.add({ reason });
  }

  /** The page, in the Prometheus text format. */
  page(): string {
    const sizes = this.#sizes.list();
    for (const { metadata, status } of sizes) this.#countTimes(metadata.name ?? '', status);
    const byNode = (amounts: AmountsByNode) => [...amounts.all()].flatMap(([node, each]) => samplesOf(node, each));
    return [
      nodeGauges(sizes),
      metricText('slipway_node_usage', 'gauge', 'What pods really use, balloons apart.', byNode(this.#usage)),
      metricText('slipway_balloon_resizes_total', 'counter', 'Resizes that ended.', this.#resizes.samples()),
      metricText(
        'slipway_balloon_resize_duration_seconds',
        'histogram',
        'How long resizes took, and each phase of them.',
        this.#durations.samples(),
      ),
      metricText('slipway_balloon_lost_total', 'counter', 'Balloon pods that were lost.', this.#lost.samples()),
      metricText(
        'slipway_balloon_fence_seconds_total',
        'counter',
        'Time in which new pods were kept away.',
        this.#fenced.samples(),
      ),
      metricText(
        'slipway_balloon_exposed_seconds_total',
        'counter',
        'Time in which nodes promised more than was granted.',
        this.#exposed.samples(),
      ),
      metricText('slipway_balloon_harm_total', 'counter', 'Pods lost because of a balloon.', this.#harm.samples()),
      metricText('slipway_actuator_calls_total', 'counter', 'Calls of actuators.', this.#calls.samples()),
      metricText(
        'slipway_actuator_duration_seconds',
        'histogram',
        'How long calls of actuators took.',
        this.#callTimes.samples(),
      ),
      metricText('slipway_autosize_target', 'gauge', 'The size the autosizer would give.', byNode(this.#advice)),
      metricText(
        'slipway_autosize_blocked_total',
        'counter',
        'Times that a node could not be made smaller.',
        this.#blocked.samples(),
      ),
    ].join('');
  }

  #justShrank(node: string): boolean {
    const { resize, lastResize } = this.#sizes.get({ name: node })?.status ?? {};
    if (resize && resize.direction !== 'Up') return true;
    if (!lastResize || lastResize.direction === 'Up') return false;
    return this.#clock.now() - Date.parse(lastResize.finishedAt) <= harmWithinMs;
  }

  /** While its NodeSize is held, a balloon that goes is a loss; after that it was taken away. */
  #isManaged(node: string): boolean {
    return this.#sizes.get({ name: node })?.metadata.finalizers?.includes(keys.restore) ?? false;
  }

  #countTimes(node: string, status: NodeSizeStatus | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    this.#exposed.note(node, { node }, status !== undefined && isExposed(status), nowMs);
    this.#fenced.note(node, {}, isConditionTrue(status?.conditions, 'Fenced'), nowMs);
  }
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
