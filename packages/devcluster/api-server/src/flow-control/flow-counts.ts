import { Histogram, type Labels, metricText, type Sample } from '@slipway/feature-gates/metrics';
import type { LevelLimits, PriorityLevel, Refusal } from './priority-level.js';

/** Upper bounds in seconds, as Kubernetes has them. */
const bounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const refusals: readonly Refusal[] = ['queue-full', 'concurrency-limit', 'time-out'];

/** What became of the requests of one FlowSchema at one level. */
export class FlowCounts {
  readonly #labels: Labels;
  readonly #refused = new Map<Refusal, number>();
  readonly #waits = { true: new Histogram(bounds), false: new Histogram(bounds) };
  readonly #durations = new Histogram(bounds);
  #dispatched = 0;
  #executing = 0;
  #waiting = 0;

  constructor(level: string, schema: string) {
    this.#labels = { flow_schema: schema, priority_level: level };
  }

  queued(): void {
    this.#waiting++;
  }

  dequeued(seconds: number, refusal: Refusal | undefined): void {
    this.#waiting--;
    this.#waits[refusal ? 'false' : 'true'].observe(seconds);
  }

  /** It runs, or it was refused. */
  settled(refusal: Refusal | undefined): void {
    if (refusal) {
      this.#refused.set(refusal, (this.#refused.get(refusal) ?? 0) + 1);
    } else {
      this.#dispatched++;
      this.#executing++;
    }
  }

  ended(seconds: number): void {
    this.#executing--;
    this.#durations.observe(seconds);
  }

  /** All metrics of flow control, under the names and labels of Kubernetes. */
  static page(counts: Iterable<FlowCounts>, levels: Iterable<PriorityLevel>): string {
    const used = [...counts].filter((one) => one.#dispatched + one.#waiting + one.#refused.size > 0);
    const each = (value: (one: FlowCounts) => number) =>
      used.map((one) => ({ labels: one.#labels, value: value(one) }));
    const refused = used.flatMap((one) =>
      refusals.flatMap((reason) => {
        const value = one.#refused.get(reason);
        return value === undefined ? [] : [{ labels: { ...one.#labels, reason }, value }];
      }),
    );
    const waits = used.flatMap((one) => [...waitSamples(one.#labels, one.#waits)]);
    const durations = used.flatMap((one) => [...one.#durations.samples(one.#labels)]);
    return (
      metricText(named('rejected_requests_total'), 'counter', '[BETA] Requests refused.', refused) +
      metricText(
        named('dispatched_requests_total'),
        'counter',
        '[BETA] Requests let in.',
        each((one) => one.#dispatched),
      ) +
      metricText(
        named('current_inqueue_requests'),
        'gauge',
        '[BETA] Requests that wait.',
        each((one) => one.#waiting),
      ) +
      metricText(
        named('current_executing_requests'),
        'gauge',
        '[BETA] Requests that run.',
        each((one) => one.#executing),
      ) +
      metricText(
        named('current_executing_seats'),
        'gauge',
        '[BETA] Seats taken by requests that run.',
        each((one) => one.#executing),
      ) +
      metricText(named('request_wait_duration_seconds'), 'histogram', '[BETA] Seconds that requests waited.', waits) +
      metricText(named('request_execution_seconds'), 'histogram', '[ALPHA] Seconds that requests ran.', durations) +
      limitsPage([...levels])
    );
  }
}

function* waitSamples(labels: Labels, waits: Readonly<Record<string, Histogram>>): Iterable<Sample> {
  for (const [execute, histogram] of Object.entries(waits)) {
    if (histogram.count > 0) yield* histogram.samples({ execute, ...labels });
  }
}

function limitsPage(levels: readonly PriorityLevel[]): string {
  const gauge = (name: string, help: string, which: keyof LevelLimits) =>
    metricText(
      named(name),
      'gauge',
      help,
      levels.map((level) => ({ labels: { priority_level: level.name }, value: level.limits[which] })),
    );
  return (
    gauge('nominal_limit_seats', '[BETA] Seats of a level as configured.', 'nominal') +
    gauge('lower_limit_seats', '[ALPHA] Seats that a level keeps when others borrow.', 'lower') +
    gauge('upper_limit_seats', '[ALPHA] Seats that a level has at most.', 'upper') +
    gauge('current_limit_seats', '[ALPHA] Seats of a level now.', 'current')
  );
}

function named(name: string): string {
  return `apiserver_flowcontrol_${name}`;
}
