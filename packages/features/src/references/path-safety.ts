import type { FieldPath } from './field-path.js';

/** Why a field must not be cleared, or on what terms. */
export type PathRisk =
  | { readonly kind: 'immutable'; readonly message: string }
  | { readonly kind: 'rollout'; readonly message: string };

type Resource = { readonly group: string; readonly resource: string };

/** Paths below which the API server refuses changes. Facts of Kubernetes' own validation. */
const immutable: Readonly<Record<string, readonly string[]>> = {
  pods: ['spec'],
  persistentvolumes: volumeSources(),
  persistentvolumeclaims: [
    'spec.accessModes',
    'spec.selector',
    'spec.volumeMode',
    'spec.storageClassName',
    'spec.dataSource',
    'spec.dataSourceRef',
  ],
  'jobs.batch': ['spec.template', 'spec.selector', 'spec.completionMode', 'spec.podFailurePolicy'],
  'deployments.apps': ['spec.selector'],
  'replicasets.apps': ['spec.selector'],
  'daemonsets.apps': ['spec.selector'],
  'statefulsets.apps': ['spec.selector', 'spec.serviceName', 'spec.podManagementPolicy', 'spec.volumeClaimTemplates'],
  'priorityclasses.scheduling.k8s.io': ['value', 'preemptionPolicy'],
  'storageclasses.storage.k8s.io': ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'],
  'controllerrevisions.apps': ['data'],
};

/** Pod templates whose change replaces running pods. */
const templates: Readonly<Record<string, string>> = {
  'deployments.apps': 'spec.template',
  'statefulsets.apps': 'spec.template',
  'daemonsets.apps': 'spec.template',
  'replicasets.apps': 'spec.template',
  'cronjobs.batch': 'spec.jobTemplate.spec.template',
  replicationcontrollers: 'spec.template',
};

/** Fields of every object that are not its writer's to remove. */
const ofTheServer = [
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.creationTimestamp',
  'metadata.generation',
  'metadata.managedFields',
  'status',
];

/**
 * Predicts what clearing a field of a resource would break. Undefined means that no risk is known; a custom resource
 * may still reject it.
 */
export function riskOf(resource: Resource, path: FieldPath): PathRisk | undefined {
  const name = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
  const text = fieldsOnly(path);
  const own = ofTheServer.find((prefix) => isUnder(text, prefix));
  if (own) return { kind: 'immutable', message: `${own} belongs to the API server and cannot be cleared` };
  if (path.length === 1 && ['spec', 'metadata'].includes(text)) {
    return { kind: 'immutable', message: `${text} cannot be cleared as a whole` };
  }
  const fixed = (immutable[name] ?? []).find((prefix) => isUnder(text, prefix) || isUnder(prefix, text));
  if (fixed) {
    return {
      kind: 'immutable',
      message: `${fixed} of ${name} is immutable, so no field in it can be cleared; declare the reference without a ClearField task and remove the objects by hand`,
    };
  }
  const template = templates[name];
  if (template && (isUnder(text, template) || isUnder(template, text))) {
    return {
      kind: 'rollout',
      message: `${template} of ${name} is a pod template, so clearing a field in it replaces running pods; say allowRollout: true to accept that`,
    };
  }
  return undefined;
}

function fieldsOnly(path: FieldPath): string {
  return path.flatMap((step) => (step.kind === 'field' ? [step.name] : [])).join('.');
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`);
}

/** Volume sources of a PersistentVolume: each is a field of its spec. */
function volumeSources(): string[] {
  return [
    'awsElasticBlockStore',
    'azureDisk',
    'azureFile',
    'cephfs',
    'cinder',
    'csi',
    'fc',
    'flexVolume',
    'flocker',
    'gcePersistentDisk',
    'glusterfs',
    'hostPath',
    'iscsi',
    'local',
    'nfs',
    'photonPersistentDisk',
    'portworxVolume',
    'quobyte',
    'rbd',
    'scaleIO',
    'storageos',
    'vsphereVolume',
  ].map((source) => `spec.${source}`);
}
