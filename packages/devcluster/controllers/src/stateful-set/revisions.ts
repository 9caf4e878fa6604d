import { type KubeObject, ownerReference, sameJson } from '@slipway/kube';
import type { Pod, PodTemplate } from '@slipway/kube-objects/kinds/api/pods';
import type { ControllerRevision, StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import { canonicalJson, templateHash } from '../workloads/template-hash.js';
import { revisionOfPod } from './identity.js';

/** A workload whose templates are kept as ControllerRevisions. */
export interface Revisioned extends KubeObject {
  spec: { readonly template: PodTemplate };
  status?: { readonly currentRevision?: string; readonly collisionCount?: number };
}

/** The revision that the set's template is, and whether it is on record already. */
export type UpdateRevision =
  | { readonly kind: 'known'; readonly revision: ControllerRevision }
  /** On record, but others came later: it moves to the end of the history. */
  | { readonly kind: 'moved'; readonly revision: ControllerRevision; readonly number: number }
  | { readonly kind: 'new'; readonly revision: ControllerRevision };

/** Finds or makes the revision for the set's template. `hashLabel` is the label that a new one carries its hash in. */
export function updateRevision(
  set: Revisioned,
  history: readonly ControllerRevision[],
  collisionCount: number,
  hashLabel = 'controller.kubernetes.io/hash',
): UpdateRevision {
  const byNumber = [...history].sort((a, b) => a.revision - b.revision);
  const last = byNumber.at(-1);
  const number = (last?.revision ?? 0) + 1;
  const fresh = newRevision(set, number, collisionCount, hashLabel);
  const same = byNumber.filter((revision) => isSameRevision(revision, fresh)).at(-1);
  if (!same) return { kind: 'new', revision: fresh };
  return same === last ? { kind: 'known', revision: same } : { kind: 'moved', revision: same, number };
}

/** Whether `found`, which has the name we wanted, is the revision we would have made. Else the name is a collision. */
export function isSameRevision(found: ControllerRevision, wanted: ControllerRevision): boolean {
  return sameJson(found.data, wanted.data);
}

/** The template on record. */
export function templateOf(revision: ControllerRevision): PodTemplate {
  const { $patch: _, ...template } = revision.data.spec.template;
  return template as unknown as PodTemplate;
}

/** Revisions beyond the history kept that no pod was made from, oldest first. */
export function expiredRevisions(
  set: StatefulSet,
  history: readonly ControllerRevision[],
  inUse: { readonly current: string; readonly update: string; readonly pods: readonly Pod[] },
): readonly ControllerRevision[] {
  const live = new Set([inUse.current, inUse.update, ...inUse.pods.map(revisionOfPod)]);
  const idle = history.filter(({ metadata }) => !live.has(metadata.name) && !metadata.deletionTimestamp);
  const tooMany = Math.max(0, idle.length - (set.spec.revisionHistoryLimit ?? 10));
  return [...idle].sort((a, b) => a.revision - b.revision).slice(0, tooMany);
}

/** The record is a patch that puts the whole template back: kubectl applies it as such. */
function newRevision(set: Revisioned, number: number, collisionCount: number, hashLabel: string): ControllerRevision {
  const { name = '', namespace = '', annotations } = set.metadata;
  // Clients compare the text of the record with one of theirs, whose keys are sorted.
  const data = JSON.parse(canonicalJson({ spec: { template: { ...set.spec.template, $patch: 'replace' } } }));
  const hash = templateHash(data, collisionCount);
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...set.spec.template.metadata?.labels, [hashLabel]: hash },
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [ownerReference(set, { controller: true })],
    },
    data,
    revision: number,
  };
}
