import type { PullsSettings } from '../config/pulls-settings.js';
import { errorMessage } from '../cri/error-message.js';
import { PullJournal } from '../journal/pull-journal.js';
import { systemClock } from '../limiter/clock.js';
import type { PullRecord } from '../limiter/pull-record.js';
import type { PullMetrics } from '../metrics/pull-metrics.js';

/** Gets one object for each thing worth a log line. */
export type Log = (line: Readonly<Record<string, unknown>>) => void;

/** Asks what a pull has brought that began at a wall-clock time; undefined when unknown. */
type FetchedBy = (image: string, startedMs: number) => Promise<{ bytes: number; layers: number } | undefined>;

/** Writes down what happens to pulls: into the log, the metrics and, where one is kept, the journal. */
export class RecordKeeper {
  readonly #metrics: PullMetrics;
  readonly #log: Log;
  readonly #journal: PullJournal | undefined;

  constructor(options: { readonly settings: PullsSettings; readonly metrics: PullMetrics; readonly log: Log }) {
    this.#metrics = options.metrics;
    this.#log = options.log;
    this.#journal = this.#open(options.settings.journal);
  }

  /** Never throws, and never makes a pull wait. */
  note(record: PullRecord, fetchedBy: FetchedBy): void {
    this.#metrics.note(record);
    const { what, ...fields } = record;
    this.#log({ msg: `pull ${what}`, ...fields });
    if (record.what === 'ended') void this.#keep(record, fetchedBy);
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  async #keep(ended: PullRecord & { readonly what: 'ended' }, fetchedBy: FetchedBy): Promise<void> {
    const { image, registry, key, pods, callers, waitedMs, pulledMs, outcome, limit } = ended;
    const startedMs = systemClock.now() - pulledMs;
    const askedAt = new Date(startedMs - waitedMs).toISOString();
    const fetched = await fetchedBy(image, startedMs);
    if (fetched) this.#metrics.noteBytes(registry, fetched.bytes);
    const entry = { askedAt, image, registry, key, pods, callers, waitedMs, pulledMs, outcome, limit, ...fetched };
    this.#journal?.append(entry);
  }

  /** Without its journal a limiter limits all the same. */
  #open(journal: PullsSettings['journal']): PullJournal | undefined {
    if (!journal) return undefined;
    const onProblem = (error: string) => {
      this.#metrics.noteJournalFailed();
      this.#log({ msg: 'the journal is not written', dir: journal.dir, error });
    };
    try {
      return new PullJournal({ ...journal, clock: systemClock, onProblem });
    } catch (error) {
      onProblem(errorMessage(error));
      return undefined;
    }
  }
}
