import type { Pod, PodTemplate, Volume } from '@slipway/kube-objects/kinds/api/pods';
import type { StatefulSet, VolumeClaimTemplate } from '@slipway/kube-objects/kinds/api/workloads';
import { podFromTemplate } from '../workloads/pod-from-template.js';

/** Label with the name of the ControllerRevision that a pod was made from. */
export const revisionLabel = 'controller-revision-hash';
const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';

/** The first ordinal of a set. */
export function firstOrdinal(set: StatefulSet): number {
  return set.spec.ordinals?.start ?? 0;
}

/** The ordinals a set wants, lowest first. */
export function wantedOrdinals(set: StatefulSet): readonly number[] {
  return Array.from({ length: set.spec.replicas }, (_, index) => firstOrdinal(set) + index);
}

/** The ordinal in a pod's name, if it has the name of a pod of this set. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name = '' } = pod.metadata;
  if (!name.startsWith(prefix)) return undefined;
  const suffix = name.slice(prefix.length);
  return /^(0|[1-9]\d{0,8})$/.test(suffix) ? Number(suffix) : undefined;
}

/** The name of the revision a pod was made from. */
export function revisionOfPod(pod: Pod): string | undefined {
  return pod.metadata.labels?.[revisionLabel];
}

/** The pod with this ordinal, made from `template`, the one that `revision` names. */
export function podOfSet(set: StatefulSet, ordinal: number, template: PodTemplate, revision: string): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podFromTemplate(set, template);
  const own = { [revisionLabel]: revision, [podNameLabel]: name, [podIndexLabel]: String(ordinal) };
  return {
    ...pod,
    metadata: { ...pod.metadata, name, labels: { ...pod.metadata.labels, ...own } },
    spec: {
      ...template.spec,
      hostname: name,
      ...(set.spec.serviceName && { subdomain: set.spec.serviceName }),
      ...withClaims(set, ordinal, template.spec.volumes ?? []),
    },
  };
}

/** Name of the claim that the pod with this ordinal gets from a template. It outlives the pod. */
export function claimName(set: StatefulSet, template: VolumeClaimTemplate, ordinal: number): string {
  return `${template.metadata.name}-${set.metadata.name}-${ordinal}`;
}

/** A claim made from a template hides a volume of the same name in the pod template. */
function withClaims(set: StatefulSet, ordinal: number, volumes: readonly Volume[]): { volumes?: readonly Volume[] } {
  const claims = (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, template, ordinal) },
  }));
  const names = new Set(claims.map(({ name }) => name));
  const all = [...claims, ...volumes.filter(({ name }) => !names.has(name))];
  return all.length > 0 ? { volumes: all } : {};
}
