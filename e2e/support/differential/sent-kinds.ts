import { certificateKinds } from './certificate-kinds.js';

/** A kind that requests are generated for: where its objects are, and one that Kubernetes accepts. */
export interface SentKind {
  /** Path of the collection; `{ns}` is the namespace of the scenario. */
  readonly collection: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly subresources?: readonly string[];
  /** The first version that serves it by default, such as `1.37`; absent = all that are tested. */
  readonly since?: string;
}

const container = { name: 'main', image: 'registry.example/app:1' };
/** Of pods of a workload. */
export const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
export const selector = { matchLabels: { app: 'a' } };
const status = ['status'];

/** Objects of the built-in kinds. Their names are set by the scenario. */
const builtInKinds: readonly SentKind[] = [
  core('configmaps', 'ConfigMap', { data: { a: '1' }, binaryData: { b: 'YQ==' } }),
  core('secrets', 'Secret', { type: 'Opaque', stringData: { a: '1' } }),
  core('serviceaccounts', 'ServiceAccount', { automountServiceAccountToken: false }),
  core('services', 'Service', { spec: { selector: { app: 'a' }, clusterIP: 'None', ports: [{ port: 80 }] } }, status),
  core('endpoints', 'Endpoints', { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] }),
  core('limitranges', 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '100' } }] } }),
  core('resourcequotas', 'ResourceQuota', { spec: { hard: { pods: '100' } } }, status),
  core(
    'persistentvolumeclaims',
    'PersistentVolumeClaim',
    {
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
    },
    status,
  ),
  core('podtemplates', 'PodTemplate', { template }),
  core('replicationcontrollers', 'ReplicationController', { spec: { replicas: 1, selector: { app: 'a' }, template } }, [
    'status',
    'scale',
  ]),
  core(
    'pods',
    'Pod',
    {
      spec: {
        containers: [{ ...container, ports: [{ containerPort: 80 }], resources: { requests: { cpu: '100m' } } }],
        volumes: [{ name: 'data', emptyDir: {} }],
      },
    },
    ['status', 'resize', 'ephemeralcontainers', 'binding', 'eviction'],
  ),
  core('events', 'Event', {
    involvedObject: { kind: 'Pod', name: 'a', namespace: '{ns}' },
    reason: 'A',
    message: 'm',
    type: 'Normal',
  }),
  workload('deployments', 'Deployment', { replicas: 1, selector, template }, ['status', 'scale']),
  workload('replicasets', 'ReplicaSet', { replicas: 1, selector, template }, ['status', 'scale']),
  workload('statefulsets', 'StatefulSet', { replicas: 1, selector, template, serviceName: 's' }, ['status', 'scale']),
  workload('daemonsets', 'DaemonSet', { selector, template }, status),
  group('apps/v1', 'controllerrevisions', 'ControllerRevision', { revision: 1, data: { a: 1 } }),
  group(
    'batch/v1',
    'jobs',
    'Job',
    {
      spec: { completions: 2, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
    },
    status,
  ),
  group(
    'batch/v1',
    'cronjobs',
    'CronJob',
    {
      spec: {
        schedule: '*/5 * * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
      },
    },
    status,
  ),
  group(
    'autoscaling/v2',
    'horizontalpodautoscalers',
    'HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    },
    status,
  ),
  group(
    'policy/v1',
    'poddisruptionbudgets',
    'PodDisruptionBudget',
    { spec: { minAvailable: '50%', selector } },
    status,
  ),
  group('coordination.k8s.io/v1', 'leases', 'Lease', { spec: { holderIdentity: 'a', leaseDurationSeconds: 5 } }),
  group('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [{ port: 80, name: 'http' }],
  }),
  group('networking.k8s.io/v1', 'networkpolicies', 'NetworkPolicy', {
    spec: { podSelector: selector, ingress: [{ ports: [{ port: 80 }] }] },
  }),
  group(
    'networking.k8s.io/v1',
    'ingresses',
    'Ingress',
    {
      spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
    },
    status,
  ),
  group('rbac.authorization.k8s.io/v1', 'roles', 'Role', {
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  }),
  group('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
    subjects: [{ kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' }],
  }),
  group('events.k8s.io/v1', 'events', 'Event', {
    eventTime: '2001-01-01T00:00:00.000000Z',
    action: 'A',
    reason: 'R',
    type: 'Normal',
    note: 'n',
    reportingController: 'example.dev/c',
    reportingInstance: 'c-1',
    regarding: { kind: 'Pod', name: 'a', namespace: '{ns}' },
  }),
  group(
    'resource.k8s.io/v1',
    'resourceclaims',
    'ResourceClaim',
    {
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'example.dev' } }] } },
    },
    status,
  ),
  wide('v1', 'namespaces', 'Namespace', {}, ['status', 'finalize']),
  wide('v1', 'nodes', 'Node', { spec: { podCIDR: '10.1.0.0/24' } }, status),
  wide(
    'v1',
    'persistentvolumes',
    'PersistentVolume',
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/data' },
        storageClassName: 'a',
      },
    },
    status,
  ),
  wide('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole', {
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  }),
  wide('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', { value: 10 }),
  wide('storage.k8s.io/v1', 'storageclasses', 'StorageClass', { provisioner: 'example.dev/p' }),
  wide('storage.k8s.io/v1', 'csidrivers', 'CSIDriver', { spec: { attachRequired: false } }),
  wide('networking.k8s.io/v1', 'ingressclasses', 'IngressClass', { spec: { controller: 'example.dev/c' } }),
  wide('node.k8s.io/v1', 'runtimeclasses', 'RuntimeClass', { handler: 'a' }),
  wide(
    'admissionregistration.k8s.io/v1',
    'validatingadmissionpolicies',
    'ValidatingAdmissionPolicy',
    {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: ['none.dev'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['as'] }],
        },
        validations: [{ expression: "object.metadata.name != 'a'" }],
      },
    },
    status,
  ),
  wide('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', {
    webhooks: [
      {
        name: 'a.example.dev',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: 'https://127.0.0.1:1/a' },
        rules: [{ apiGroups: ['none.dev'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['as'] }],
      },
    ],
  }),
  ...certificateKinds,
  {
    ...wide(
      'resource.k8s.io/v1',
      'devicetaintrules',
      'DeviceTaintRule',
      { spec: { deviceSelector: { driver: 'example.dev' }, taint: { key: 'example.dev/a', effect: 'NoSchedule' } } },
      status,
    ),
    since: '1.37',
  },
  {
    ...wide(
      'storagemigration.k8s.io/v1',
      'storageversionmigrations',
      'StorageVersionMigration',
      { spec: { resource: { group: 'example.dev', resource: 'things' } } },
      status,
    ),
    since: '1.37',
  },
];

/** The kinds that a version of Kubernetes serves by default. */
export function kindsOf(version: string): readonly SentKind[] {
  const minor = (text: string) => Number(text.split('.')[1]);
  return builtInKinds.filter(({ since }) => since === undefined || minor(version) >= minor(since));
}

function core(plural: string, kind: string, more: object, subresources?: readonly string[]): SentKind {
  return sent(`/api/v1/namespaces/{ns}/${plural}`, 'v1', kind, more, subresources);
}

function workload(plural: string, kind: string, spec: object, subresources: readonly string[]): SentKind {
  return group('apps/v1', plural, kind, { spec }, subresources);
}

function group(apiVersion: string, plural: string, kind: string, more: object, subresources?: readonly string[]) {
  return sent(`/apis/${apiVersion}/namespaces/{ns}/${plural}`, apiVersion, kind, more, subresources);
}

function wide(apiVersion: string, plural: string, kind: string, more: object, subresources?: readonly string[]) {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return sent(`${root}/${plural}`, apiVersion, kind, more, subresources);
}

function sent(collection: string, apiVersion: string, kind: string, more: object, subresources?: readonly string[]) {
  return { collection, object: { apiVersion, kind, ...more }, ...(subresources && { subresources }) };
}
