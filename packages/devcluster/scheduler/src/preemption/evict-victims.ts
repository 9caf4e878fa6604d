import { type Kube, refOf, type SeriesRecorder } from '@slipway/kube';
import { type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { markDisrupted } from '@slipway/kube-objects/rules/disruption-target';
import type { Demand } from '../demand/demand.js';

export interface EvictionDeps {
  readonly kube: Kube;
  readonly events: SeriesRecorder;
  readonly signal: AbortSignal;
}

/** Takes pods away to make room for `pod`. Those that are gone already are fine. @throws StatusError */
export async function evictVictims(
  deps: EvictionDeps,
  pod: Pod,
  nodeName: string,
  victims: readonly Demand[],
): Promise<void> {
  await Promise.all(victims.map((victim) => evict(deps, pod, nodeName, victim.pod)));
}

async function evict({ kube, events, signal }: EvictionDeps, pod: Pod, nodeName: string, victim: Pod): Promise<void> {
  const { uid = '' } = victim.metadata;
  const message = `${pod.spec.schedulerName ?? ''}: preempting to accommodate a higher priority pod`;
  await markDisrupted(kube, refOf(victim), uid, { reason: 'PreemptionByScheduler', message, fails: false }, signal);
  await kube.resource(pods).delete(refOf(victim), { preconditions: { uid }, signal });
  const note = `Preempted by pod ${pod.metadata.uid} on node ${nodeName}`;
  events.event(victim, { type: 'Normal', reason: 'Preempted', action: 'Preempting', note, related: pod });
}
