import { aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const container = { name: 'a', image: 'a' };
const labels = { app: 'a' };
const template = (spec: object) => ({
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [container], ...spec } },
});
const named = (apiVersion: string, kind: string, name: string, spec: object, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  spec,
});
const dots = 'which can result in surprising behavior; a DNS label is recommended: [must not contain dots]';
const apps = '/apis/apps/v1/namespaces/default';
const core = '/api/v1/namespaces/default';
const os = { 'beta.kubernetes.io/os': 'linux' };
const osIsOld = 'deprecated since v1.14; use "kubernetes.io/os" instead';
const webPort = (containerPort: number) => ({ ...container, ports: [{ name: 'web', containerPort }] });

// Compared with a kube-apiserver of 1.37.2.
// path | object | what its writer is warned of
const cases: [string, object, string[]][] = [
  [`${apps}/deployments`, named('apps/v1', 'Deployment', 'plain', template({})), []],
  [
    `${apps}/deployments`,
    named('apps/v1', 'Deployment', 'a.b', template({ nodeSelector: os })),
    [
      `metadata.name: this is used in Pod names and hostnames, ${dots}`,
      `spec.template.spec.nodeSelector[beta.kubernetes.io/os]: ${osIsOld}`,
    ],
  ],
  [
    `${apps}/statefulsets`,
    named('apps/v1', 'StatefulSet', 'a', { ...template({}), serviceName: 'a', revisionHistoryLimit: -1 }),
    ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'],
  ],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    named('batch/v1', 'CronJob', 'a', {
      schedule: '1 * * * *',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', nodeSelector: os, containers: [container] } } },
      },
    }),
    [`spec.jobTemplate.spec.template.spec.nodeSelector[beta.kubernetes.io/os]: ${osIsOld}`],
  ],
  [
    `${core}/pods`,
    named('v1', 'Pod', 'a.b', {
      initContainers: [{ ...webPort(81), name: 'i' }],
      containers: [
        {
          ...webPort(80),
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '$(A)2' },
            { name: 'A', value: '3' },
          ],
        },
      ],
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }],
      hostAliases: [
        { ip: '1.2.3.4', hostnames: ['a'] },
        { ip: '1.2.3.4', hostnames: ['b'] },
      ],
      imagePullSecrets: [{ name: 'a' }, { name: 'a' }],
    }),
    [
      `metadata.name: this is used in the Pod's hostname, ${dots}`,
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
      'spec.hostAliases[1].ip: duplicate ip "1.2.3.4"',
      'spec.imagePullSecrets[1].name: duplicate name "a"',
      'spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply',
      'spec.containers[0].ports[0]: duplicate port name "web" with spec.initContainers[0].ports[0], services and probes that select ports by name will use spec.initContainers[0].ports[0]',
    ],
  ],
  [
    `${core}/services`,
    named('v1', 'Service', 'a', {
      clusterIP: 'None',
      sessionAffinity: 'ClientIP',
      externalIPs: ['1.2.3.4'],
      ports: [{ port: 1 }],
    }),
    ['spec.externalIPs is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'],
  ],
  [
    `${core}/services`,
    named('v1', 'Service', 'a', { externalIPs: ['1.2.3.4'], trafficDistribution: 'PreferClose', ports: [{ port: 1 }] }),
    [
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    named(
      'networking.k8s.io/v1',
      'Ingress',
      'a',
      { defaultBackend: { service: { name: 'a', port: { number: 1 } } } },
      { annotations: { 'kubernetes.io/ingress.class': 'x' } },
    ),
    ['annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead'],
  ],
  [
    `${core}/pods`,
    named('v1', 'Pod', 'a', {
      containers: [
        {
          ...container,
          ports: [{ containerPort: 80 }, { containerPort: 80 }, { containerPort: 80, hostIP: '1.2.3.4' }],
          resources: { requests: { memory: '100m' } },
        },
      ],
      hostAliases: [{ ip: '2001:DB8::1' }],
      imagePullSecrets: [{}],
      volumes: [
        { name: 'a', storageos: { volumeName: 'v' } },
        { name: 'g', gitRepo: { repository: 'a' } },
      ],
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }] },
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: { matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['linux'] }] },
            },
          ],
        },
      },
    }),
    [
      `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: beta.kubernetes.io/os is ${osIsOld}`,
      'spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+',
      'spec.volumes[1].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
      'spec.containers[0].ports[2]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}',
      'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]',
      'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]',
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
      'spec.hostAliases[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  ],
  [
    '/api/v1/persistentvolumes',
    named(
      'v1',
      'PersistentVolume',
      'a',
      {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        storageos: { volumeName: 'v' },
        persistentVolumeReclaimPolicy: 'Recycle',
      },
      { annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } },
    ),
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
    ],
  ],
  [
    `${core}/persistentvolumeclaims`,
    named('v1', 'PersistentVolumeClaim', 'a', {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1500m' } },
    }),
    ['spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
  ],
  [
    '/apis/storage.k8s.io/v1/storageclasses',
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'a' },
      provisioner: 'example.dev/p',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'beta.kubernetes.io/os', values: ['linux'] }] }],
    },
    [`allowedTopologies[0].matchLabelExpressions[0].key: ${osIsOld}`],
  ],
  [
    '/apis/node.k8s.io/v1/runtimeclasses',
    {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'a' },
      handler: 'a',
      scheduling: { nodeSelector: os },
    },
    [`scheduling.nodeSelector: ${osIsOld}`],
  ],
  [
    `${core}/serviceaccounts`,
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'a', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    },
    [
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ],
  ],
];

test('writers of built-in kinds are warned as by Kubernetes', async () => {
  const { ask } = await aServer();
  await ask('POST', `${core}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
  for (const [path, object, warnings] of cases) {
    const answer = await ask('POST', `${path}?dryRun=All`, object);
    expect([answer.status, answer.warnings], answer.body.message ?? path).toEqual([201, warnings]);
  }
});

test('a pod template is warned of again when its spec changes, and not when the status does', async () => {
  const { ask } = await aServer();
  const deployment = named('apps/v1', 'Deployment', 'a', template({ nodeSelector: os }));
  const [warning] = (await ask('POST', `${apps}/deployments`, deployment)).warnings;
  const merge = { 'content-type': 'application/merge-patch+json' };
  const patch = (path: string, body: object) => ask('PATCH', `${apps}/deployments/a${path}`, body, merge);
  expect((await patch('', { spec: { replicas: 2 } })).warnings).toEqual([warning]);
  expect((await patch('', { metadata: { labels } })).warnings).toEqual([]);
  expect((await patch('/status', { status: { replicas: 2 } })).warnings).toEqual([]);
});
