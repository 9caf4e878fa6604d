import { controllerOf, ownerReference, sameJson } from '@slipway/kube';
import type { PodTemplate } from '@slipway/kube-objects/kinds/api/pods';
import type { Deployment, ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import { olderFirst } from '../workloads/older-first.js';
import { templateHash } from '../workloads/template-hash.js';
import { rolloutLimits } from './rollout-limits.js';

const prefix = 'deployment.kubernetes.io';
/** Which rollout of its Deployment a ReplicaSet belongs to; on the Deployment, which one is current. */
export const revisionAnnotation = `${prefix}/revision`;
const revisionHistoryAnnotation = `${prefix}/revision-history`;
/** Replicas of the Deployment when the ReplicaSet was last scaled: tells a change of scale from a rollout. */
export const desiredReplicasAnnotation = `${prefix}/desired-replicas`;
/** Replicas plus surge at that time: what proportional scaling measures by. */
export const maxReplicasAnnotation = `${prefix}/max-replicas`;
/** Label that tells the pods of one ReplicaSet from those of its siblings. */
export const templateHashLabel = 'pod-template-hash';

const keptFromDeployment = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  'deprecated.deployment.rollback.to',
]);

/** The ReplicaSets of a Deployment, told apart by the template they carry. */
export interface Generations {
  /** The one with the template the Deployment has now, if it was made already. */
  readonly current: ReplicaSet | undefined;
  /** All others, oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** Finds the ReplicaSet that has the Deployment's template; of several, the oldest. */
export function generations(deployment: Deployment, replicaSets: readonly ReplicaSet[]): Generations {
  const byAge = [...replicaSets].sort(olderFirst);
  const current = byAge.find((set) => hasTemplateOf(deployment, set));
  return { current, old: byAge.filter((set) => set !== current) };
}

const maxRevision = 2n ** 63n - 1n;

/** The revision a ReplicaSet carries, of 63 bits; 0 when it has none. */
export function revisionOf(set: ReplicaSet | Deployment): bigint {
  const text = set.metadata.annotations?.[revisionAnnotation] ?? '';
  const revision = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  return revision > maxRevision ? 0n : revision;
}

/** Negative when the first is of an older revision. */
export function compareRevisions(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)];
  return first === second ? 0 : first < second ? -1 : 1;
}

/** The revision that the current ReplicaSet must carry: above all others. A rollback gives an old set a new one. */
export function currentRevision({ current, old }: Generations): bigint {
  const next = old.map(revisionOf).reduce((max, revision) => (revision > max ? revision : max), 0n) + 1n;
  const known = current ? revisionOf(current) : 0n;
  return known > next ? known : next;
}

/** The ReplicaSet for the Deployment's template. Its replicas are the caller's decision. */
export function newReplicaSet(deployment: Deployment, revision: bigint, replicas: number): ReplicaSet {
  const { name = '', namespace = '' } = deployment.metadata;
  const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount);
  const { selector, template, minReadySeconds } = deployment.spec;
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: {
        ...inherited(deployment),
        ...scaleAnnotations(deployment),
        [revisionAnnotation]: String(revision),
      },
      ownerReferences: [ownerReference(deployment, { controller: true })],
    },
    spec: {
      replicas,
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** Whether `found`, which has the name we wanted, is the set we would have made. Else the name is a collision. */
export function isSameSet(found: ReplicaSet, deployment: Deployment): boolean {
  return controllerOf(found)?.uid === deployment.metadata.uid && hasTemplateOf(deployment, found);
}

/** Annotations of the current ReplicaSet as they must be; undefined when they are. */
export function currentAnnotations(
  deployment: Deployment,
  set: ReplicaSet,
  revision: bigint,
): Readonly<Record<string, string>> | undefined {
  const before = set.metadata.annotations ?? {};
  const after: Record<string, string> = { ...before, ...inherited(deployment) };
  const carried = revisionOf(set);
  if (carried !== revision) {
    after[revisionAnnotation] = String(revision);
    // A set that becomes current again remembers which rollouts it was.
    const history = before[revisionHistoryAnnotation];
    if (carried > 0n) after[revisionHistoryAnnotation] = history ? `${history},${carried}` : String(carried);
  }
  return sameJson(after, before) ? undefined : after;
}

/** Returns the annotations that record the Deployment's scale on a ReplicaSet each time it is scaled. */
export function scaleAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  return {
    [desiredReplicasAnnotation]: String(deployment.spec.replicas),
    [maxReplicasAnnotation]: String(deployment.spec.replicas + rolloutLimits(deployment).maxSurge),
  };
}

/** Old ReplicaSets beyond the history kept, oldest revision first. Only empty and settled ones may go. */
export function expiredHistory(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const kept = deployment.spec.revisionHistoryLimit ?? 10;
  const present = old.filter((set) => !set.metadata.deletionTimestamp);
  const tooMany = Math.max(0, present.length - kept);
  return [...present]
    .sort((a, b) => compareRevisions(a, b) || olderFirst(a, b))
    .slice(0, tooMany)
    .filter((set) => set.spec.replicas === 0 && (set.status?.replicas ?? 0) === 0 && isObserved(set));
}

function isObserved(set: ReplicaSet): boolean {
  return (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0);
}

function inherited(deployment: Deployment): Readonly<Record<string, string>> {
  const annotations = Object.entries(deployment.metadata.annotations ?? {});
  return Object.fromEntries(annotations.filter(([name]) => !keptFromDeployment.has(name)));
}

function hasTemplateOf(deployment: Deployment, set: ReplicaSet): boolean {
  return sameJson(withoutHash(set.spec.template), withoutHash(deployment.spec.template));
}

function withoutHash(template: PodTemplate): PodTemplate {
  const { [templateHashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
