import type { Lease } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';

/** For how long nothing was heard of a node. */
export interface Silence {
  readonly uid: string;
  /** What was heard last. Only compared: the clocks of others are not trusted. */
  readonly heard: string;
  /** Time in which we listened and heard nothing, in milliseconds. */
  readonly silentMs: number;
  readonly listenedAtMs: number;
}

/**
 * Listens to a node again. `nowMs` is monotonic. Between two calls at most `longestGapMs`
 * count as silence: a process that slept for longer heard no node, and
 * that must not be taken for the death of all nodes.
 */
export function listen(
  before: Silence | undefined,
  node: Node,
  lease: Lease | undefined,
  nowMs: number,
  longestGapMs: number,
): Silence {
  const { uid = '' } = node.metadata;
  const heartbeat = node.status?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime ?? '';
  const heard = `${lease?.spec.renewTime ?? ''} ${heartbeat}`;
  if (before?.uid !== uid || before.heard !== heard) return { uid, heard, silentMs: 0, listenedAtMs: nowMs };
  const gapMs = Math.min(Math.max(0, nowMs - before.listenedAtMs), longestGapMs);
  return { uid, heard, silentMs: before.silentMs + gapMs, listenedAtMs: nowMs };
}
