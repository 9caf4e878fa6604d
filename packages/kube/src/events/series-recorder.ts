import type { Kube } from '../client/client.js';
import type { ResourceClient } from '../client/resource-client.js';
import type { Timer } from '../clock/clock.js';
import { microTimestamp } from '../clock/timestamp.js';
import { type Logger, silentLog } from '../log/logger.js';
import type { KubeObject, ObjectRef, ResourceRef } from '../transport/objects.js';
import { hasReason } from '../transport/status.js';
import { BackgroundWrites } from './background-writes.js';
import { eventNames } from './event-names.js';
import { type ObjectReference, referenceTo } from './object-reference.js';
import { digestOf, Remembered } from './remembered.js';

/** `Event` of events.k8s.io/v1, as a new one is written. */
export interface SeriesEvent extends KubeObject {
  /** RFC 3339 with microseconds. */
  eventTime: string;
  series?: { count: number; lastObservedTime: string };
  reportingController: string;
  reportingInstance: string;
  /** What was being done, one CamelCase word such as `Binding`. */
  action: string;
  reason: string;
  regarding: ObjectReference;
  related?: ObjectReference;
  note: string;
  type: 'Normal' | 'Warning';
}

/** The resource of events.k8s.io/v1. */
const SeriesEvents: ResourceRef<SeriesEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

export interface SeriesRecorderOptions {
  /** Who reports, such as `default-scheduler`; kubectl shows it under FROM. */
  readonly controller: string;
  /** Which of several processes of that name. */
  readonly instance: string;
  readonly log?: Logger;
}

/** What an event says besides what it is about. */
export interface Happening {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  /** Another object that has to do with it. */
  readonly related?: KubeObject;
  /** A moment that has just been. Default: now. */
  readonly atMs?: number;
}

interface Known {
  readonly ref: ObjectRef;
  readonly firstMs: number;
  /** Since it happened again. */
  series?: Series;
}

interface Series {
  count: number;
  lastMs: number;
  /** What was written last, and when. */
  written: { count: number; atMs: number };
}

/** As in client-go's tools/events: a series ends when nothing was added for so long; one that goes on is written again. */
const finishMs = 6 * 60_000;
const refreshMs = 30 * 60_000;
const remembers = 4096;

/**
 * Tells people what happened to an object, as events of events.k8s.io/v1.
 *
 * What happens again to the same state of an object makes a series of the first event: its second observation is
 * written at once, and later ones are counted here until the series ends or has gone on for half an hour. Nothing here
 * throws or waits, and what cannot be written is dropped.
 */
export class SeriesRecorder {
  readonly #kube: Kube;
  readonly #events: ResourceClient<SeriesEvent>;
  readonly #options: SeriesRecorderOptions;
  readonly #known = new Remembered<Known>(remembers);
  readonly #nameOf: (about: string, atMs: number) => string;
  readonly #writes: BackgroundWrites;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(kube: Kube, options: SeriesRecorderOptions) {
    this.#kube = kube;
    this.#events = kube.resource(SeriesEvents);
    this.#options = options;
    this.#nameOf = eventNames(kube.random);
    this.#writes = new BackgroundWrites(options.log ?? silentLog);
  }

  /** Reports what happened to an object. */
  event(about: KubeObject, happening: Happening): void {
    const { reason, atMs = this.#kube.clock.now() } = happening;
    this.#writes.add(reason, () => this.#write(about, happening, atMs));
    if (!this.#isStopped) this.#timer ??= this.#kube.clock.after(finishMs, () => this.#look());
  }

  /** Waits until what was reported is written or dropped. Series that have not ended keep the counts that they have. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    return this.#writes.settled();
  }

  async #write(about: KubeObject, { type, reason, action, note, related }: Happening, atMs: number): Promise<void> {
    const regarding = referenceTo(about);
    const relatedRef = related && referenceTo(related);
    const key = digestOf([type, action, reason, regarding, relatedRef]);
    const known = this.#known.get(key);
    if (known?.series) {
      known.series.count += 1;
      known.series.lastMs = atMs;
      return;
    }
    if (known) {
      known.series = { count: 2, lastMs: atMs, written: { count: 2, atMs } };
      if (await this.#writeSeries(known.ref, known.series)) return;
    }
    const { controller, instance } = this.#options;
    const { name, namespace = 'default' } = regarding;
    const ref = { namespace, name: this.#nameOf(name, atMs) };
    await this.#events.create({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: ref,
      eventTime: microTimestamp(atMs),
      reportingController: controller,
      reportingInstance: instance,
      action,
      reason,
      regarding,
      ...(relatedRef && { related: relatedRef }),
      note: note.slice(0, 1024),
      type,
    });
    this.#known.put(key, { ref, firstMs: atMs });
  }

  /** Whether the event was still there. */
  async #writeSeries(ref: ObjectRef, { count, lastMs }: Series): Promise<boolean> {
    try {
      await this.#events.merge(ref, { series: { count, lastObservedTime: microTimestamp(lastMs) } });
      return true;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return false;
      throw error;
    }
  }

  /** Ends series in which nothing happened lately, and writes those that have gone on for long. */
  #look(): void {
    const nowMs = this.#kube.clock.now();
    for (const [key, { ref, firstMs, series }] of [...this.#known.entries()]) {
      const isOver = (series?.lastMs ?? firstMs) < nowMs - finishMs;
      if (isOver) this.#known.forget(key);
      if (!series || !isDue(series, isOver, nowMs)) continue;
      series.written = { count: series.count, atMs: nowMs };
      this.#writes.add('series', async () => {
        if (!(await this.#writeSeries(ref, series))) this.#known.forget(key);
      });
    }
    this.#timer = this.#known.size > 0 ? this.#kube.clock.after(finishMs, () => this.#look()) : undefined;
  }
}

function isDue({ count, written }: Series, isOver: boolean, nowMs: number): boolean {
  return isOver ? count > written.count : written.atMs <= nowMs - refreshMs;
}
