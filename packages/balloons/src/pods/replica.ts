import { controllerOf, type KubeObject } from '@slipway/kube';

/** The controller of a pod, and what another pod that it creates would look like to a scheduler. */
export interface Replica {
  /** UID of the controller. */
  readonly owner: string;
  readonly pod: KubeObject;
}

/** Controllers whose next pod needs no room on a node that has one already. */
const ownersPerNode: ReadonlySet<string> = new Set(['DaemonSet', 'Node']);

/**
 * Describes one more pod of the workload that a pod belongs to, where that pod may preempt others; undefined for other
 * pods, and for pods that no controller would create again.
 */
export function replicaOf({ apiVersion, kind, metadata, spec }: KubeObject): Replica | undefined {
  const owner = controllerOf({ apiVersion, kind, metadata });
  const mayPreempt = (spec?.priority ?? 0) > 0 && spec?.preemptionPolicy !== 'Never';
  if (!mayPreempt || !owner?.uid || ownersPerNode.has(owner.kind)) return undefined;
  const { nodeName: _node, volumes: _volumes, containers, initContainers, ephemeralContainers: _debug, ...rest } = spec;
  const { namespace, labels } = metadata;
  const pod: KubeObject = {
    apiVersion,
    kind,
    metadata: { ...(namespace !== undefined && { namespace }), ...(labels && { labels }) },
    spec: { ...rest, containers: lean(containers), ...(initContainers && { initContainers: lean(initContainers) }) },
  };
  return shared({ owner: owner.uid, pod });
}

interface Container {
  readonly name: string;
  readonly resources?: object;
  readonly ports?: readonly object[];
  readonly restartPolicy?: string;
}

function lean(containers: readonly Container[]): readonly Container[] {
  return containers.map(({ name, resources, ports, restartPolicy }) => ({
    name,
    ...(resources && { resources }),
    ...(ports && { ports }),
    ...(restartPolicy !== undefined && { restartPolicy }),
  }));
}

const known = new Map<string, Replica>();
/** Pods of one workload share one description; maximum of descriptions. */
const maxKnown = 10_000;

function shared(replica: Replica): Replica {
  const text = JSON.stringify(replica);
  const before = known.get(text);
  if (before) return before;
  if (known.size < maxKnown) known.set(text, replica);
  return replica;
}
