import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import { systemClasses } from '@slipway/kube-objects/kinds/priority-class-system';
import { expect, test } from 'vitest';
import { builtInDefinitions } from './catalogue.js';
import { configMaps } from './config-map.js';
import { leases } from './lease.js';
import { namespaces } from './namespace.js';
import { nodes } from './node.js';
import { persistentVolumes } from './persistent-volume.js';
import { persistentVolumeClaims } from './persistent-volume-claim.js';
import { priorityClasses } from './priority-class.js';
import { secrets } from './secret.js';
import { services } from './service.js';
import { serviceAccounts } from './service-account.js';
import { created, createErrors, row, updated, updateErrors, writing } from './testing/write.js';

const creationTimestamp = '2026-11-20T11:00:00Z';

test('builtInDefinitions() are distinct and complete enough to be served', () => {
  const definitions = builtInDefinitions();
  const names = definitions.map(({ group, version, plural }) => `${group}/${version}/${plural}`);
  expect(new Set(names).size).toBe(names.length);
  const shortNames = definitions.filter(({ view }) => view === undefined).flatMap((one) => one.shortNames);
  expect(new Set(shortNames).size).toBe(shortNames.length);
  // Those that Kubernetes shows no age of.
  const ageless = [
    'Binding',
    'ClusterTrustBundle',
    'ComponentStatus',
    'PodCertificateRequest',
    'PodTemplate',
    'StorageVersionMigration',
  ];
  for (const { schema, kind, columns, answer } of definitions) {
    expect(schema.openapi().definitions).toHaveProperty([schema.openapi().name]);
    expect(schema.root.field('metadata'), kind).toBeDefined();
    expect(
      answer !== undefined ||
        ageless.includes(kind) ||
        columns.some(({ name }) => name === 'Age' || name === 'Last Seen' || name === 'Created At'),
      kind,
    ).toBe(true);
  }
});

test('Namespace has its name as a label, a finalizer and a phase', () => {
  expect(created(namespaces, { metadata: { name: 'a', labels: { b: 'c' } } })).toMatchObject({
    metadata: { labels: { b: 'c', 'kubernetes.io/metadata.name': 'a' } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
});

test('Namespace gives its finalizers away to finalize only', () => {
  const namespace = created(namespaces, { metadata: { name: 'a' } });
  const changed = { metadata: { name: 'a' }, spec: { finalizers: [] }, status: { phase: 'Terminating' } };
  expect(updated(namespaces, namespace, changed).spec).toEqual({ finalizers: ['kubernetes'] });
  expect(updated(namespaces, namespace, changed, writing({ subresource: 'status' })).spec).toEqual({
    finalizers: ['kubernetes'],
  });
  expect(updated(namespaces, namespace, changed, writing({ subresource: 'finalize' })).spec?.finalizers ?? []).toEqual(
    [],
  );
});

test('Secret takes texts in and is Opaque unless it says otherwise', () => {
  const secret = created(secrets, { data: { a: 'eA==', b: 'eQ==' }, stringData: { b: 'new' } });
  expect(secret).toMatchObject({ type: 'Opaque', data: { a: 'eA==', b: 'bmV3' } });
  expect(secret).not.toHaveProperty('stringData');
});

const service = (spec: object = {}) => ({ spec: { ports: [{ port: 80 }], ...spec } });

test('Service gets the defaults that Kubernetes gives', () => {
  expect(created(services, service()).spec).toEqual({
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
  });
  expect(created(services, service({ type: 'LoadBalancer' })).spec).toMatchObject({
    externalTrafficPolicy: 'Cluster',
    allocateLoadBalancerNodePorts: true,
  });
  expect(created(services, service({ sessionAffinity: 'ClientIP' })).spec).toMatchObject({
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
  });
});

test('Service drops what its new type does not have', () => {
  const old = created(services, service({ type: 'LoadBalancer' }));
  const spec = updated(services, old, { ...old, spec: { ...old.spec, type: 'ClusterIP' } }).spec;
  expect(spec).not.toHaveProperty('allocateLoadBalancerNodePorts');
  expect(spec).not.toHaveProperty('externalTrafficPolicy');
  expect(spec.internalTrafficPolicy).toBe('Cluster');
});

test('Node keeps the status it registers with', () => {
  const node = created(nodes, { status: { capacity: { cpu: '4' } } });
  expect(node.status).toMatchObject({ capacity: { cpu: '4' }, allocatable: { cpu: '4' } });
});

const claim = (spec: object = {}) => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const volume = (spec: object = {}) => ({
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' }, ...spec },
});
const large = 'x'.repeat(1024 * 1024 + 1);
const key =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

// kind | object | what is wrong with it
const invalids: [ResourceDefinition, object, string[]][] = [
  [configMaps, { data: { 'a b': '' } }, [`data[a b]: Invalid value: "a b": ${key}`]],
  [
    configMaps,
    { data: { a: '' }, binaryData: { a: '' } },
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  [configMaps, { data: { a: large } }, ['[]: Too long: may not be more than 1048576 bytes']],
  [secrets, { stringData: { a: large } }, ['data: Too long: may not be more than 1048576 bytes']],
  [secrets, { type: 'kubernetes.io/tls', stringData: { 'tls.crt': '' } }, ['data[tls.key]: Required value']],
  [
    secrets,
    { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'x' } },
    ['data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid json'],
  ],
  [services, service(), []],
  [services, { spec: {} }, ['spec.ports: Required value']],
  [services, { spec: { clusterIP: 'None' } }, []],
  [services, { spec: { type: 'ExternalName' } }, ['spec.externalName: Required value']],
  [
    services,
    service({ type: 'Open' }),
    ['spec.type: Unsupported value: "Open": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'],
  ],
  [
    services,
    service({ ports: [{ port: 80 }, { port: 81 }] }),
    ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  ],
  [
    services,
    service({ ports: [{ port: 0 }] }),
    [
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [persistentVolumeClaims, claim(), []],
  [
    persistentVolumeClaims,
    claim({ accessModes: [] }),
    ['spec.accessModes: Required value: at least 1 access mode is required'],
  ],
  [
    persistentVolumeClaims,
    claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }),
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  [
    persistentVolumeClaims,
    claim({ volumeMode: 'Tape', storageClassName: 'A_b' }),
    [
      expect.stringMatching(/^spec\.storageClassName: Invalid value: "A_b": a lowercase RFC 1123 subdomain/),
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    ],
  ],
  [persistentVolumeClaims, claim({ resources: {} }), ['spec.resources[storage]: Required value']],
  [persistentVolumes, volume(), []],
  [persistentVolumes, volume({ hostPath: null }), ['spec: Required value: must specify a volume type']],
  [
    persistentVolumes,
    volume({ nfs: { server: 's', path: '/' } }),
    ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    leases,
    { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
    [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  [
    nodes,
    { spec: { taints: [{ key: 'a', effect: 'Stop' }] } },
    [
      'metadata.taints[0].effect: Unsupported value: "Stop": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    nodes,
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoExecute' },
          { key: 'a', effect: 'NoExecute', value: 'b' },
        ],
      },
    },
    [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  ],
  [priorityClasses, { value: 1_000_000_000 }, []],
  [
    priorityClasses,
    { value: 1_000_000_001 },
    ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ],
  [
    priorityClasses,
    { metadata: { name: 'system-x' }, value: 1 },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
    ],
  ],
  [
    priorityClasses,
    { metadata: { name: 'system-balloon' }, value: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' },
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: preemptionPolicy of system-balloon PriorityClass must be Never",
    ],
  ],
  [
    priorityClasses,
    { value: 1, preemptionPolicy: 'Maybe' },
    ['preemptionPolicy: Unsupported value: "Maybe": supported values: "Never", "PreemptLowerPriority"'],
  ],
];

test.each(invalids.map(([definition, object, errors]) => ({ definition, object, errors, kind: definition.kind })))(
  '$kind: $errors',
  ({ definition, object, errors }) => {
    expect(createErrors(definition, object)).toEqual(errors);
  },
);

test('PriorityClass of the system has the value that goes with its name', () => {
  for (const [name, { value, preemptionPolicy }] of systemClasses) {
    expect(createErrors(priorityClasses, { metadata: { name }, value, preemptionPolicy })).toEqual([]);
    expect(createErrors(priorityClasses, { metadata: { name }, value: 1 })).toHaveLength(1);
  }
});

const frozen = 'field is immutable when `immutable` is set';

// kind | before | after | what is wrong
const updates: [ResourceDefinition, object, object, string[]][] = [
  [configMaps, { data: { a: '1' } }, { data: { a: '2' }, immutable: true }, []],
  [
    configMaps,
    { data: { a: '1' }, immutable: true },
    { data: { a: '2' }, immutable: true },
    [`data: Forbidden: ${frozen}`],
  ],
  [configMaps, { immutable: true }, {}, [`immutable: Forbidden: ${frozen}`]],
  [secrets, {}, { type: 'other' }, ['type: Invalid value: "other": field is immutable']],
  [
    services,
    service({ clusterIP: '10.96.0.5', clusterIPs: ['10.96.0.5'] }),
    service({ clusterIP: '10.96.0.6', clusterIPs: ['10.96.0.6'] }),
    ['spec.clusterIPs[0]: Invalid value: ["10.96.0.6"]: may not change once set'],
  ],
  [persistentVolumeClaims, claim(), claim({ volumeName: 'v' }), []],
  [
    persistentVolumeClaims,
    claim(),
    claim({ storageClassName: 'fast' }),
    [
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    ],
  ],
  [priorityClasses, { value: 1 }, { value: 2 }, ['value: Forbidden: may not be changed in an update.']],
];

test.each(
  updates.map(([definition, before, after, errors]) => ({ definition, before, after, errors, kind: definition.kind })),
)('$kind update: $errors', ({ definition, before, after, errors }) => {
  expect(updateErrors(definition, before, after)).toEqual(errors);
});

const metadata = { name: 'it', creationTimestamp };

// kind | object | row of kubectl get -o wide
const rows: [ResourceDefinition, object, object][] = [
  [namespaces, { status: { phase: 'Active' } }, { STATUS: 'Active', AGE: '60m' }],
  [configMaps, { data: { a: '', b: '' }, binaryData: { c: '' } }, { DATA: 3, AGE: '60m' }],
  [secrets, { type: 'Opaque', data: { a: '' } }, { TYPE: 'Opaque', DATA: 1, AGE: '60m' }],
  [serviceAccounts, {}, { AGE: '60m' }],
  [leases, { spec: { holderIdentity: 'node-1' } }, { HOLDER: 'node-1', AGE: '60m' }],
  [
    priorityClasses,
    { value: 5, preemptionPolicy: 'Never' },
    { VALUE: 5, 'GLOBAL-DEFAULT': false, AGE: '60m', PREEMPTIONPOLICY: 'Never' },
  ],
  [
    services,
    {
      spec: {
        type: 'NodePort',
        clusterIP: '10.96.0.9',
        clusterIPs: ['10.96.0.9'],
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
        selector: { b: '2', a: '1' },
      },
    },
    {
      TYPE: 'NodePort',
      'CLUSTER-IP': '10.96.0.9',
      'EXTERNAL-IP': '<none>',
      'PORT(S)': '80:30080/TCP,53/UDP',
      AGE: '60m',
      SELECTOR: 'a=1,b=2',
    },
  ],
  [
    services,
    { spec: { type: 'LoadBalancer', clusterIPs: ['10.96.0.9'], ports: [] } },
    {
      TYPE: 'LoadBalancer',
      'CLUSTER-IP': '10.96.0.9',
      'EXTERNAL-IP': '<pending>',
      'PORT(S)': '<none>',
      AGE: '60m',
      SELECTOR: '<none>',
    },
  ],
  [
    nodes,
    {
      metadata: {
        ...metadata,
        labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        nodeInfo: {
          kubeletVersion: 'v1.34.0',
          osImage: 'Slipway',
          kernelVersion: '6.1',
          containerRuntimeVersion: 'sim://1',
        },
      },
    },
    {
      STATUS: 'Ready,SchedulingDisabled',
      ROLES: 'control-plane,worker',
      AGE: '60m',
      VERSION: 'v1.34.0',
      'INTERNAL-IP': '10.0.0.1',
      'EXTERNAL-IP': '<none>',
      'OS-IMAGE': 'Slipway',
      'KERNEL-VERSION': '6.1',
      'CONTAINER-RUNTIME': 'sim://1',
    },
  ],
  [
    persistentVolumeClaims,
    {
      spec: { volumeName: 'v', storageClassName: 'fast', volumeMode: 'Filesystem' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    },
    {
      STATUS: 'Bound',
      VOLUME: 'v',
      CAPACITY: '1Gi',
      'ACCESS MODES': 'RWO,RWX',
      STORAGECLASS: 'fast',
      VOLUMEATTRIBUTESCLASS: '<unset>',
      AGE: '60m',
      VOLUMEMODE: 'Filesystem',
    },
  ],
  [
    persistentVolumes,
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { namespace: 'a', name: 'b' },
      },
      status: { phase: 'Bound' },
    },
    {
      CAPACITY: '1Gi',
      'ACCESS MODES': 'RWO',
      'RECLAIM POLICY': 'Retain',
      STATUS: 'Bound',
      CLAIM: 'a/b',
      STORAGECLASS: '',
      VOLUMEATTRIBUTESCLASS: '<unset>',
      REASON: '',
      AGE: '60m',
      VOLUMEMODE: '<unset>',
    },
  ],
];

test.each(rows.map(([definition, object, cells]) => ({ definition, object, cells, kind: definition.kind })))(
  '$kind shows what kubectl get -o wide does',
  ({ definition, object, cells }) => {
    expect(row(definition, { apiVersion: 'v1', kind: definition.kind, metadata, ...object })).toEqual(cells);
  },
);
