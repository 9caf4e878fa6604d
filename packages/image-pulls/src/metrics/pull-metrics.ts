import { Counter, declaredMetricText, Histogram, type Labels } from '@slipway/feature-gates/metrics';
import type { PullRecord } from '../limiter/pull-record.js';
import type { PullState } from '../limiter/pull-state.js';

/** Further registries share one series. */
const maxRegistries = 20;

const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_800];

/** Counts what happens to pulls, and shows it as a Prometheus page. No label has more than a few values. */
export class PullMetrics {
  readonly #counters = new Map<string, Counter>();
  readonly #registries = new Set<string>();
  readonly #waited = new Histogram(buckets);
  readonly #pulled = new Histogram(buckets);
  readonly #ofProcess: string;

  /** `ofProcess` is what the page says of the process itself, beside its pulls. */
  constructor(ofProcess = '') {
    this.#ofProcess = ofProcess;
  }

  /** Takes note of a record. Never throws. */
  note(record: PullRecord): void {
    switch (record.what) {
      case 'started':
        this.#count('started_total', { lane: record.lane });
        this.#waited.observe(record.waitedMs / 1_000);
        break;
      case 'joined':
        this.#count('coalesced_total');
        break;
      case 'ended':
        this.#count('ended_total', { outcome: record.outcome });
        this.#pulled.observe(record.pulledMs / 1_000);
        break;
      case 'refused':
        this.#count('refused_total', { reason: record.reason });
        break;
      case 'stalled':
        this.#count('stalled_total');
        break;
      case 'moved tag':
        this.#count('moved_tags_total');
        break;
      case 'forced':
        this.#count('places_forced_total');
        break;
    }
  }

  noteUndecodable(): void {
    this.#count('undecodable_total');
  }

  noteReloadFailed(): void {
    this.#count('config_reload_failed_total');
  }

  noteAcceptFailed(): void {
    this.#count('accept_failed_total');
  }

  noteJournalFailed(): void {
    this.#count('journal_failed_total');
  }

  /** What a pull has brought. */
  noteBytes(registry: string, bytes: number): void {
    this.#registries.add(this.#registries.size < maxRegistries ? registry : 'other');
    this.#count('bytes_total', { registry: this.#registries.has(registry) ? registry : 'other' }, bytes);
  }

  /** The page, in the text format of Prometheus. */
  page(state: PullState): string {
    const oldestMs = Math.max(0, ...state.waiting.map(({ waitedMs }) => waitedMs));
    const callers = [...state.running, ...state.waiting].reduce((sum, pull) => sum + pull.callers, 0);
    const gauges: [string, string, number][] = [
      ['limit', 'Image pulls at once; 0 means unlimited', state.limit],
      ['running', 'Image pulls that count against the limit', state.counted],
      ['waiting', 'Image pulls that wait for a slot', state.waiting.length],
      ['callers', 'Calls that are open', callers],
      ['adopted', 'Pulls that another process still runs', state.adopted],
      [
        'stalled',
        'Pulls of which no byte came for long',
        state.running.filter((pull) => pull.state === 'stalled').length,
      ],
      ['overshoot', 'Pulls above the limit after it was lowered', overshoot(state)],
      ['oldest_waiting_seconds', 'How long the first in the queue has waited', oldestMs / 1_000],
      ['paused', 'Whether nothing is started', Number(state.paused)],
      ['runtime_up', 'Whether the container runtime answers', Number(state.runtimeUp)],
    ];
    return [
      ...gauges.map(([name, help, value]) => declaredMetricText(`${prefix}${name}`, 'gauge', `${help}.`, [{ value }])),
      ...Object.entries(counterHelp).map(([name, help]) =>
        declaredMetricText(`${prefix}${name}`, 'counter', `${help}.`, this.#counters.get(name)?.samples() ?? []),
      ),
      histogramText('waited_seconds', 'How long pulls waited for a slot.', this.#waited),
      histogramText('pulled_seconds', 'How long the runtime took, without waiting.', this.#pulled),
      this.#ofProcess,
    ].join('');
  }

  #count(name: string, labels: Labels = {}, by = 1): void {
    const counter = this.#counters.get(name) ?? new Counter();
    this.#counters.set(name, counter);
    counter.add(labels, by);
  }
}

const prefix = 'slipway_pulls_';

const counterHelp: Readonly<Record<string, string>> = {
  started_total: 'Pulls that the runtime was asked for',
  coalesced_total: 'Calls that joined the pull of another',
  ended_total: 'Pulls that ended, by outcome',
  refused_total: 'Calls that were refused, by reason',
  stalled_total: 'Pulls that were found stalled',
  moved_tags_total: 'Moved tags that were verified without a slot and then waited for one',
  bytes_total: 'Bytes that pulls brought, by registry, where the runtime shows them',
  places_forced_total: 'Slots freed although their pull never ended',
  undecodable_total: 'Requests that could not be read and went on as they were',
  config_reload_failed_total: 'Configurations that were not taken over',
  accept_failed_total: 'Connections that could not be accepted',
  journal_failed_total: 'Times that the journal could not be written',
};

function overshoot({ limit, counted }: PullState): number {
  return limit === 0 ? 0 : Math.max(0, counted - limit);
}

function histogramText(name: string, help: string, histogram: Histogram): string {
  return declaredMetricText(`${prefix}${name}`, 'histogram', help, histogram.samples());
}
