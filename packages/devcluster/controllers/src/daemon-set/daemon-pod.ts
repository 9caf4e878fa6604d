import type { DaemonSet } from '@slipway/kube-objects/kinds/api/daemon-sets';
import type { Pod, PodSpec, Toleration } from '@slipway/kube-objects/kinds/api/pods';
import { podFromTemplate } from '../workloads/pod-from-template.js';

/** Label with the hash of the template that a pod was made from. */
export const hashLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

/**
 * The pod that a DaemonSet runs on one node. The scheduler puts it there: a required
 * node affinity names the node, in place of the template's own, which was looked at before.
 */
export function daemonPod(set: DaemonSet, nodeName: string, hash: string): Pod {
  const { metadata, spec } = podFromTemplate(set, set.spec.template);
  const generation = set.metadata.annotations?.[generationAnnotation];
  const labels = {
    ...metadata.labels,
    ...(generation !== undefined && { [generationLabel]: generation }),
    [hashLabel]: hash,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, labels },
    spec: { ...spec, affinity: onlyOn(nodeName, spec), tolerations: daemonTolerations(spec) },
  };
}

/** The node that a daemon pod runs on or waits for; undefined when it says none. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator, values = [] }) => key === 'metadata.name' && operator === 'In' && values.length === 1)
    ?.values?.[0];
}

/** Whether a pod was made from the template with this hash. */
export function isUpdated(pod: Pod, hash: string): boolean {
  return pod.metadata.labels?.[hashLabel] === hash;
}

/** The tolerations of the template, and those by which daemons stay on nodes that are in trouble or cordoned. */
export function daemonTolerations(spec: PodSpec): readonly Toleration[] {
  const standard: readonly Toleration[] = [
    tolerate('not-ready', 'NoExecute'),
    tolerate('unreachable', 'NoExecute'),
    tolerate('disk-pressure', 'NoSchedule'),
    tolerate('memory-pressure', 'NoSchedule'),
    tolerate('pid-pressure', 'NoSchedule'),
    tolerate('unschedulable', 'NoSchedule'),
    ...(spec.hostNetwork ? [tolerate('network-unavailable', 'NoSchedule')] : []),
  ];
  const replaced = (own: Toleration) => standard.some((each) => isSameToleration(each, own));
  return [...(spec.tolerations ?? []).filter((own) => !replaced(own)), ...standard];
}

function tolerate(condition: string, effect: NonNullable<Toleration['effect']>): Toleration {
  return { key: `node.kubernetes.io/${condition}`, operator: 'Exists', effect };
}

/** The same but for its duration: a daemon's has no limit. */
function isSameToleration(a: Toleration, b: Toleration): boolean {
  return a.key === b.key && a.operator === b.operator && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
}

function onlyOn(nodeName: string, { affinity }: PodSpec): NonNullable<PodSpec['affinity']> {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] as const;
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
}
