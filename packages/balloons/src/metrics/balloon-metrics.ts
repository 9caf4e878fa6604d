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

/** Buckets of the duration of a resize, in seconds. */
const resizeBounds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60];
/** A pod that is lost within this time after a balloon grew counts as lost because of it. */
const harmWithinMs = 5_000;

/** Kinds of loss, by the reason in the status of the pod. */
const harmKinds: ReadonlyMap<string, string> = new Map([
  ['OutOfcpu', 'rejected'],
  ['OutOfmemory', 'rejected'],
  ['Preempting', 'preempted'],
  ['PreemptionByScheduler', 'preempted'],
  ['Evicted', 'evicted'],
]);

type LossCause = 'deleted' | 'evicted' | 'failed' | 'preempted';
const lossCauses: readonly LossCause[] = ['deleted', 'evicted', 'failed', 'preempted'];

/** A change of an object, as informers report it. */
interface Seen<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  readonly previous?: T | undefined;
}

/** Amounts by the name of a node. */
interface AmountsByNode {
  all(): ReadonlyMap<string, Amounts>;
}

const noAmounts: AmountsByNode = { all: () => new Map() };

/**
 * The Prometheus metrics of balloons. Hidden amounts never count as used. Gauges are read from API objects, so that
 * anyone can check them there.
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
  #advice: AmountsByNode = noAmounts;
  #usage: AmountsByNode = noAmounts;

  constructor(clock: Clock) {
    this.#clock = clock;
    // A series that begins with its first event has no increase, by which alerts go.
    for (const kind of new Set(harmKinds.values())) this.#harm.add({ kind }, 0);
    for (const cause of lossCauses) this.#lost.add({ cause }, 0);
  }

  /** Sets the sources of the gauges. */
  readFrom(
    sizes: Pick<Lister<NodeSize>, 'list' | 'get'>,
    advice: AmountsByNode = noAmounts,
    usage: AmountsByNode = noAmounts,
  ): void {
    this.#sizes = sizes;
    this.#advice = advice;
    this.#usage = usage;
  }

  /** Counts a resize that has ended. Those that ended before this process started are not counted. */
  sizeChanged({ type, object, previous }: Seen<NodeSize>): void {
    this.#countTimes(object.metadata.name ?? '', type === 'deleted' ? undefined : object.status);
    const last = object.status?.lastResize;
    if (type !== 'updated' || !last || last.id === previous?.status?.lastResize?.id) return;
    const { direction, result, durationMs } = last;
    this.#resizes.add({ direction, result });
    // A spec that had a result without a resize took no time.
    if (durationMs > 0) this.#durations.observe({ direction, phase: 'whole' }, durationMs / 1000);
  }

  /** Records how long a phase of a resize took. */
  phaseEnded({ direction, phase }: { direction: Direction; phase: TimedPhase }, tookMs: number): void {
    this.#durations.observe({ direction, phase }, tookMs / 1000);
  }

  /** Records a change of a workload pod. */
  podChanged({ object, previous }: Seen<PodShare>): void {
    const { failure, node, isBalloon } = object.share;
    if (isBalloon || failure === undefined || previous?.share.failure === failure || !previous) return;
    const kind = harmKinds.get(failure);
    if (kind && this.#justShrank(node)) this.#harm.add({ kind });
  }

  /** Records a change of a balloon pod. */
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

  /** Counts a node that could shrink and is kept as it is, by the reason. */
  autosizeBlocked(reason: string): void {
    this.#blocked.add({ reason });
  }

  /** Returns the metrics in the Prometheus text format. */
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

  /** Whether a balloon that is deleted was lost: its node still has a NodeSize that keeps it. */
  #isManaged(node: string): boolean {
    return this.#sizes.get({ name: node })?.metadata.finalizers?.includes(keys.restore) ?? false;
  }

  #countTimes(node: string, status: NodeSizeStatus | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    this.#exposed.note(node, { node }, status !== undefined && isExposed(status), nowMs);
    this.#fenced.note(node, {}, isConditionTrue(status?.conditions, 'Fenced'), nowMs);
  }
}

/** At least 0: pods may use more than exists. */
function isExposed({ size, actuator }: NodeSizeStatus): boolean {
  const { granted } = actuator ?? {};
  if (!granted || !size) return false;
  const [promised, exists] = [parseAmounts(size), parseAmounts(granted)];
  return resources.some((resource) => granted[resource] !== undefined && promised[resource] > exists[resource]);
}

function causeOf(reason: unknown): LossCause {
  if (reason === 'Preempting') return 'preempted';
  return reason === 'Evicted' ? 'evicted' : 'failed';
}
