import type { PullState } from '../limiter/pull-limiter.js';
import type { PullRecord } from '../limiter/pull-record.js';

/** Further registries share one series. */
const mostRegistries = 20;

const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_800];

/** Counts what happens to pulls, and shows it as a Prometheus page. No label has more than a few values. */
export class PullMetrics {
  readonly #counters = new Map<string, number>();
  readonly #registries = new Set<string>();
  readonly #waited = new Histogram();
  readonly #pulled = new Histogram();
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
    this.#registries.add(this.#registries.size < mostRegistries ? registry : 'other');
    this.#count('bytes_total', { registry: this.#registries.has(registry) ? registry : 'other' }, bytes);
  }

  /** The page, in the text format of Prometheus. */
  page(state: PullState): string {
    const oldestMs = Math.max(0, ...state.waiting.map(({ waitedMs }) => waitedMs));
    const callers = [...state.running, ...state.waiting].reduce((sum, pull) => sum + pull.callers, 0);
    const gauges: [string, string, number][] = [
      ['limit', 'Image pulls at once; 0 is no limit', state.limit],
      ['running', 'Image pulls that count against the limit', state.counted],
      ['waiting', 'Image pulls that wait for a place', state.waiting.length],
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
    const lines = gauges.flatMap(([name, help, value]) => head(name, 'gauge', help, `${prefix}${name} ${value}`));
    for (const [name, help] of Object.entries(counterHelp)) {
      const series = [...this.#counters].filter(([key]) => key === name || key.startsWith(`${name}{`));
      lines.push(...head(name, 'counter', help, ...series.map(([key, value]) => `${prefix}${key} ${value}`)));
    }
    lines.push(...this.#waited.lines('waited_seconds', 'How long pulls waited for a place'));
    lines.push(...this.#pulled.lines('pulled_seconds', 'How long the runtime took, without waiting'));
    return `${lines.join('\n')}\n${this.#ofProcess}`;
  }

  #count(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const key = text.length > 0 ? `${name}{${text.join(',')}}` : name;
    this.#counters.set(key, (this.#counters.get(key) ?? 0) + by);
  }
}

const prefix = 'slipway_pulls_';

const counterHelp: Readonly<Record<string, string>> = {
  started_total: 'Pulls that the runtime was asked for',
  coalesced_total: 'Calls that joined the pull of another',
  ended_total: 'Pulls that ended, by outcome',
  refused_total: 'Calls that were refused, by reason',
  stalled_total: 'Pulls that were found stalled',
  moved_tags_total: 'Tags that were verified beside the places, had moved, and waited for a place',
  bytes_total: 'Bytes that pulls brought, by registry, where the runtime shows them',
  places_forced_total: 'Places freed although their pull never ended',
  undecodable_total: 'Requests that could not be read and went on as they were',
  config_reload_failed_total: 'Configurations that were not taken over',
  accept_failed_total: 'Connections that could not be accepted',
  journal_failed_total: 'Times that the journal could not be written',
};

function overshoot({ limit, counted }: PullState): number {
  return limit === 0 ? 0 : Math.max(0, counted - limit);
}

function head(name: string, kind: string, help: string, ...series: readonly string[]): string[] {
  return [`# HELP ${prefix}${name} ${help}.`, `# TYPE ${prefix}${name} ${kind}`, ...series];
}

class Histogram {
  readonly #counts = buckets.map(() => 0);
  #sum = 0;
  #count = 0;

  observe(seconds: number): void {
    this.#sum += seconds;
    this.#count += 1;
    for (const [index, most] of buckets.entries())
      if (seconds <= most) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  lines(name: string, help: string): string[] {
    const series = buckets.map((most, index) => `${prefix}${name}_bucket{le="${most}"} ${this.#counts[index]}`);
    const all = `${prefix}${name}_bucket{le="+Inf"} ${this.#count}`;
    const total = [`${prefix}${name}_sum ${this.#sum}`, `${prefix}${name}_count ${this.#count}`];
    return head(name, 'histogram', help, ...series, all, ...total);
  }
}
