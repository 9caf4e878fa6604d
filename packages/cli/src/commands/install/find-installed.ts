import { Feature, isNotInstalled, labels } from '@slipway/features';
import { type Kube, type KubeObject, slipwaySelectors } from '@slipway/kube';
import { type ClusterObjects, nameOf } from '../../installation/cluster-objects.js';
import { isOfPart, type PartName } from '../../installation/labels.js';

/** What of Slipway is on a cluster, and what becomes of it when parts of Slipway are uninstalled. */
export interface Installed {
  /** In the order in which they are deleted. */
  readonly going: readonly KubeObject[];
  readonly staying: readonly StayingObject[];
}

export interface StayingObject {
  readonly object: KubeObject;
  readonly why: string;
}

const admission = 'admissionregistration.k8s.io';
const rbac = 'rbac.authorization.k8s.io';

/** Kinds of labelled objects that are deleted: processes first, then what restrains them, then what they need. */
export const removedKinds = [
  { group: 'apps', kind: 'Deployment' },
  { group: 'apps', kind: 'DaemonSet' },
  { group: 'policy', kind: 'PodDisruptionBudget' },
  { group: 'monitoring.coreos.com', kind: 'PodMonitor' },
  { group: 'monitoring.coreos.com', kind: 'PrometheusRule' },
  { group: admission, kind: 'ValidatingAdmissionPolicyBinding' },
  { group: admission, kind: 'ValidatingAdmissionPolicy' },
  { group: admission, kind: 'MutatingAdmissionPolicyBinding' },
  { group: admission, kind: 'MutatingAdmissionPolicy' },
  { group: rbac, kind: 'ClusterRoleBinding' },
  { group: rbac, kind: 'RoleBinding' },
  { group: rbac, kind: 'ClusterRole' },
  { group: rbac, kind: 'Role' },
  { group: '', kind: 'ServiceAccount' },
  { group: 'scheduling.k8s.io', kind: 'PriorityClass' },
  { group: 'coordination.k8s.io', kind: 'Lease' },
  { group: '', kind: 'ConfigMap' },
];

const definitionKind = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };
const namespaceKind = { group: '', kind: 'Namespace' };

/** Finds the objects of some parts of Slipway by their labels, whoever applied them. */
export async function findInstalled(
  kube: Kube,
  objects: ClusterObjects,
  parts: readonly PartName[],
): Promise<Installed> {
  const labelled = await objects.listAll(removedKinds, slipwaySelectors.ours);
  const definitions = await objects.listAll([definitionKind], slipwaySelectors.ours);
  const isAsked = (object: KubeObject) => isOfPart(object, parts);
  const staying: StayingObject[] = [
    ...definitions
      .filter(isAsked)
      .map((object) => ({ object, why: 'deleting it would delete every object of its kind' })),
    ...(parts.includes('features') ? [...(await openTransitions(kube)), ...(await dataOfFeatures(objects))] : []),
  ];
  const going = labelled.filter(isAsked);
  staying.push(...(await recordsOfHelm(objects, [...going, ...definitions])));
  for (const object of await objects.listAll([namespaceKind], slipwaySelectors.ours)) {
    const name = object.metadata.name ?? '';
    const inside = labelled.find((other) => other.metadata.namespace === name && !isAsked(other));
    const other = inside ?? (await foreignObjectIn(objects, name));
    if (other) staying.push({ object, why: `${nameOf(other)} is in it` });
    else going.push(object);
  }
  return { going, staying };
}

/** Finds Features between two states: without a feature server they stay there. */
async function openTransitions(kube: Kube): Promise<readonly StayingObject[]> {
  try {
    const open = (await kube.resource(Feature).list()).items.filter(({ status }) => status?.transition);
    return open.map((object) => ({
      object,
      why: `it is ${object.status?.state}, half way, and goes on when a feature server runs again`,
    }));
  } catch (error) {
    if (isNotInstalled(error)) return [];
    throw error;
  }
}

/** Finds what outlives the feature server on purpose: guards, and backups of the values that it cleared. */
async function dataOfFeatures(objects: ClusterObjects): Promise<readonly StayingObject[]> {
  const guardKinds = removedKinds.filter(({ group }) => group === admission);
  const guards = await objects.listAll(guardKinds, labels.guard);
  const backups = await objects.listAll([{ group: '', kind: 'Secret' }], labels.backup);
  const featureOf = ({ metadata }: KubeObject, label: string) => metadata.labels?.[label] ?? '';
  return [
    ...guards.map((object) => ({
      object,
      why: `it keeps feature ${featureOf(object, labels.guard)}, which is off, from being used`,
    })),
    ...backups.map((object) => ({
      object,
      why: `it holds the values that were cleared when feature ${featureOf(object, labels.backup)} was turned off`,
    })),
  ];
}

/** Finds an object in a namespace that neither Slipway nor Kubernetes itself put there. */
async function foreignObjectIn(objects: ClusterObjects, namespace: string): Promise<KubeObject | undefined> {
  const foreign = await objects.listNamespace(namespace, slipwaySelectors.foreign);
  return foreign.find(({ apiVersion, kind, metadata }) => {
    const isOfNamespace =
      (kind === 'ServiceAccount' && metadata.name === 'default') ||
      (kind === 'ConfigMap' && metadata.name === 'kube-root-ca.crt');
    const isPassing = kind === 'Event' || apiVersion.startsWith('metrics.k8s.io/');
    return !isOfNamespace && !isPassing;
  });
}

/** Finds the Secrets in which Helm keeps what it installed: with them Helm would take part of it for installed. */
async function recordsOfHelm(
  objects: ClusterObjects,
  installed: readonly KubeObject[],
): Promise<readonly StayingObject[]> {
  const releases = new Set(
    installed.flatMap(({ metadata }) => metadata.annotations?.['meta.helm.sh/release-name'] ?? []),
  );
  const found: StayingObject[] = [];
  for (const release of releases) {
    for (const object of await objects.listAll([{ group: '', kind: 'Secret' }], `owner=helm,name=${release}`)) {
      const remedy = `helm uninstall ${release} -n ${object.metadata.namespace}`;
      found.push({ object, why: `Helm takes Slipway for installed by it; to delete it: ${remedy}` });
    }
  }
  return found;
}
