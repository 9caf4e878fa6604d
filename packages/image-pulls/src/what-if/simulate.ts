import { step } from '../limiter/pull-queue.js';
import { type Caller, emptyQueue, type Pull, type PullQueue, type QueueEvent } from '../limiter/queue-state.js';
import { connectionsPerPull, type PastPull } from './past-pull.js';

/** What images come over, and what else a pull takes. Rates in bytes per millisecond; `Infinity` does not bind. */
export interface Link {
  /** Of all pulls together. */
  readonly rate: number;
  /** Of one connection; a pull has up to three, one for each layer. */
  readonly connectionRate: number;
  /** Asking the registry before, and unpacking after the bytes have come. */
  readonly resolveMs: number;
  readonly unpackMs: number;
}

/** How pulls go under a limit. Times to an image count from when it was asked for. */
export interface Outlook {
  readonly limit: number;
  readonly firstMs: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  /** How long anything ran or waited. */
  readonly busyMs: number;
  readonly peakConnections: number;
  /** How long the link as a whole was what held pulls up. */
  readonly saturatedMs: number;
}

interface Running {
  readonly pull: Pull;
  readonly connections: number;
  resolveMs: number;
  bytes: number;
  unpackMs: number;
}

/**
 * Lets pulls happen again under another limit, with the queue that decides in earnest, in virtual time. The link is
 * shared by connections in equal parts, none of which gets more than one can.
 */
export function simulate(pulls: readonly PastPull[], link: Link, limit: number): Outlook {
  const arrivals = [...pulls].sort((a, b) => a.askedMs - b.askedMs);
  let queue: PullQueue = emptyQueue(limit, { maxWaiting: Infinity });
  let running: Running[] = [];
  let [nowMs, next, busyMs, saturatedMs, peakConnections] = [arrivals[0]?.askedMs ?? 0, 0, 0, 0, 0];
  const took: number[] = [];

  const hear = (happened: QueueEvent) => {
    const did = step(queue, happened, nowMs);
    queue = did.queue;
    for (const pull of did.start) running.push(runningOf(pull, arrivals[Number(pull.key)] as PastPull, link));
  };
  const arrive = () => {
    for (let due = arrivals[next]; due && due.askedMs <= nowMs; due = arrivals[next]) {
      const { image, registry } = due;
      hear({ kind: 'asked', key: `${next}`, image, registry, presence: 'absent', caller: callerOf(next, nowMs) });
      next += 1;
    }
  };
  const endWhatIsOver = () => {
    const over = running.filter(isOver);
    running = running.filter((one) => !isOver(one));
    for (const { pull } of over) {
      took.push(nowMs - pull.askedAtMs);
      hear({ kind: 'ended', pullId: pull.id });
    }
  };

  arrive();
  while (running.length > 0 || next < arrivals.length) {
    const rate = rateOf(running, link);
    const arrivesInMs = (arrivals[next]?.askedMs ?? Infinity) - nowMs;
    const byMs = Math.min(arrivesInMs, ...running.map((one) => changesInMs(one, rate)));
    const connections = running.reduce((sum, one) => sum + (isFetching(one) ? one.connections : 0), 0);
    peakConnections = Math.max(peakConnections, connections);
    if (running.length > 0) busyMs += byMs;
    if (connections > 0 && rate < link.connectionRate) saturatedMs += byMs;
    for (const one of running) advance(one, byMs, rate);
    nowMs += byMs;
    endWhatIsOver();
    arrive();
  }
  const sorted = took.sort((a, b) => a - b);
  const meanMs = sorted.reduce((sum, ms) => sum + ms, 0) / Math.max(1, sorted.length);
  const p95Ms = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 0;
  return { limit, firstMs: sorted[0] ?? 0, meanMs, p95Ms, busyMs, peakConnections, saturatedMs };
}

function runningOf(pull: Pull, { bytes, layers }: PastPull, { resolveMs, unpackMs }: Link): Running {
  return { pull, connections: Math.min(connectionsPerPull, layers), resolveMs, bytes, unpackMs };
}

function callerOf(id: number, askedAtMs: number): Caller {
  return { id, askedAtMs, giveUpAtMs: Infinity, limit: 0, lookEveryMs: 0, nextLookAtMs: askedAtMs };
}

/** What each connection gets. */
function rateOf(running: readonly Running[], { rate, connectionRate }: Link): number {
  const connections = running.reduce((sum, one) => sum + (isFetching(one) ? one.connections : 0), 0);
  return connections === 0 ? 0 : Math.min(connectionRate, rate / connections);
}

/** Below this, what is left is a rounding error: a millionth of a millisecond or of a byte. */
const nothing = 1e-6;

function isFetching({ resolveMs, bytes }: Running): boolean {
  return resolveMs <= nothing && bytes > nothing;
}

function isOver({ resolveMs, bytes, unpackMs }: Running): boolean {
  return resolveMs <= nothing && bytes <= nothing && unpackMs <= nothing;
}

function changesInMs(one: Running, rate: number): number {
  if (one.resolveMs > nothing) return one.resolveMs;
  return one.bytes > nothing ? one.bytes / (rate * one.connections) : one.unpackMs;
}

function advance(one: Running, byMs: number, rate: number): void {
  if (one.resolveMs > nothing) one.resolveMs -= byMs;
  else if (one.bytes > nothing) one.bytes -= byMs * rate * one.connections;
  else one.unpackMs -= byMs;
}
