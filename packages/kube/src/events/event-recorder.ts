import type { Kube } from '../client/client.js';
import type { ResourceClient } from '../client/resource-client.js';
import { timestamp } from '../clock/timestamp.js';
import { type Logger, silentLog } from '../log/logger.js';
import type { KubeObject, ResourceRef } from '../transport/objects.js';
import { hasReason } from '../transport/status.js';
import { BackgroundWrites } from './background-writes.js';
import { eventName, eventNames } from './event-names.js';
import { type ObjectPart, type ObjectReference, referenceTo } from './object-reference.js';
import { digestOf, Remembered } from './remembered.js';

/** `Event` of core/v1. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  reason: string;
  message: string;
  type: 'Normal' | 'Warning';
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  source: { component: string; host?: string };
}

/** The resource of core/v1 events. */
export const Events: ResourceRef<CoreEvent> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

export interface EventRecorderOptions {
  /** Who reports; kubectl shows it under FROM. */
  readonly component: string;
  /** The node it runs on, if it runs on one. */
  readonly host?: string;
  readonly log?: Logger;
  /** A text no other recorder will give, for the names of events. */
  readonly uniqueText?: () => string;
  /** How many events, and how many objects they are about, are remembered: those that were told last. 4096 when absent, as upstream. */
  readonly remembers?: number;
  /** When to write: recorders that share this wait for each other, and leave the server to what matters more. At once when absent. */
  readonly inTurn?: (write: () => Promise<void>) => Promise<void>;
}

/** Events remembered to be counted up rather than written again. */
const defaultRemembered = 4096;
/** One object may have this many events of a type at once, then one each five minutes. */
const burstPerObject = 25;
const eachMs = 300_000;
/** The tenth event that differs from others only in its message, and those after it, become one. */
const maxSimilar = 10;
/** Events so far apart are not similar. */
const similarMs = 600_000;

interface Known {
  /** Of the event; its namespace is that of what it is about. */
  readonly name: string;
  count: number;
}

/** Events of one object and reason. */
interface Similar {
  /** What they say, as digests; never more than `maxSimilar`. */
  readonly messages: Set<string>;
  lastMs: number;
}

/**
 * Tells people what happened to an object, as core/v1 events.
 *
 * The same event again raises `count` of the first one, and events that differ only in
 * their message become one when there are ten of them. Nothing here throws or waits: writing goes on in the background, and what cannot be written is dropped,
 * because no work may depend on an event.
 */
export class EventRecorder {
  readonly #kube: Kube;
  readonly #events: ResourceClient<CoreEvent>;
  readonly #options: EventRecorderOptions;
  readonly #known: Remembered<Known>;
  readonly #similar: Remembered<Similar>;
  /** Until when the events of an object would have been told, one each five minutes. In whole milliseconds: others take more room. */
  readonly #toldUntilMs: Remembered<number>;
  readonly #nameOf: (about: string, atMs: number) => string;
  readonly #writes: BackgroundWrites;

  constructor(kube: Kube, options: EventRecorderOptions) {
    const { log = silentLog, inTurn, uniqueText, remembers = defaultRemembered } = options;
    this.#kube = kube;
    this.#events = kube.resource(Events);
    this.#options = options;
    this.#known = new Remembered(remembers);
    this.#similar = new Remembered(remembers);
    this.#toldUntilMs = new Remembered(remembers);
    this.#nameOf = uniqueText ? (about) => eventName(about, uniqueText()) : eventNames(kube.random);
    this.#writes = new BackgroundWrites(log, inTurn);
  }

  /** Reports that `reason` (one CamelCase word) happened to `about`, now or at a moment that has just been. */
  event(
    about: KubeObject | ObjectPart,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    atMs: number = this.#kube.clock.now(),
  ): void {
    try {
      const involvedObject = referenceTo(about);
      if (this.#writes.isFull || !this.#mayReport(involvedObject, type)) return;
      this.#writes.add(reason, () => this.#write(involvedObject, type, reason, message.slice(0, 1024), atMs));
    } catch (error) {
      this.#writes.dropped(reason, error);
    }
  }

  /** Waits until what was reported so far is written or dropped. */
  flush(): Promise<void> {
    return this.#writes.settled();
  }

  async #write(
    involvedObject: ObjectReference,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    atMs: number,
  ): Promise<void> {
    const { resourceVersion: _, fieldPath, ...identity } = involvedObject;
    const similar = digestOf([identity, type, reason]);
    const isCombined = this.#isOneOfMany(similar, digestOf([message]), atMs);
    const key = isCombined ? similar : digestOf([identity, fieldPath, type, reason, message]);
    const told = isCombined ? `(combined from similar events): ${message}` : message;
    const namespace = involvedObject.namespace ?? 'default';
    const known = this.#known.get(key);
    if (known) {
      const patch = { count: known.count + 1, lastTimestamp: timestamp(atMs), ...(isCombined && { message: told }) };
      try {
        await this.#events.merge({ namespace, name: known.name }, patch);
        known.count++;
        return;
      } catch (error) {
        // Events expire on the server; what happens after that is a new one.
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
    const { component, host } = this.#options;
    const name = this.#nameOf(involvedObject.name, atMs);
    await this.#events.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject,
      reason,
      message: told,
      type,
      count: 1,
      firstTimestamp: timestamp(atMs),
      lastTimestamp: timestamp(atMs),
      source: host === undefined ? { component } : { component, host },
      reportingComponent: component,
      reportingInstance: host ?? '',
    });
    this.#known.put(key, { name, count: 1 });
  }

  #isOneOfMany(key: string, message: string, atMs: number): boolean {
    const known = this.#similar.get(key);
    const similar = known && atMs - known.lastMs <= similarMs ? known : { messages: new Set<string>(), lastMs: atMs };
    similar.lastMs = atMs;
    similar.messages.add(message);
    this.#similar.put(key, similar);
    if (similar.messages.size < maxSimilar) return false;
    const [first = ''] = similar.messages;
    similar.messages.delete(first);
    return true;
  }

  #mayReport(about: ObjectReference, type: 'Normal' | 'Warning'): boolean {
    const key = `${type} ${about.uid ?? `${about.kind}/${about.namespace ?? ''}/${about.name}`}`;
    const nowMs = Math.round(this.#kube.clock.monotonicMs());
    const untilMs = Math.max(nowMs, this.#toldUntilMs.get(key) ?? 0);
    const may = untilMs + eachMs <= nowMs + burstPerObject * eachMs;
    this.#toldUntilMs.put(key, may ? untilMs + eachMs : untilMs);
    return may;
  }
}
