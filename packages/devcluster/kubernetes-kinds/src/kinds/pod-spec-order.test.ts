import { expect, test } from 'vitest';
import { pods } from './pod.js';
import { statefulSets } from './stateful-set.js';
import { createErrors } from './testing/write.js';

const app = { name: 'app', image: 'i' };
const spec = 'spec';
const first = `${spec}.containers[0]`;
const tooMany = 'may not specify more than 1 handler type';

// what is compared with Kubernetes 1.37.2 by real-differences.test.ts: spec | its errors, in that order
const orders: [string, object, string[]][] = [
  [
    'containers before what surrounds them',
    {
      activeDeadlineSeconds: 0,
      restartPolicy: 'No',
      containers: [{}],
      volumes: [{ nfs: {} }],
      serviceAccountName: 'A',
    },
    [
      `${spec}.volumes[0].nfs.server: Required value`,
      `${spec}.volumes[0].nfs.path: Required value`,
      `${spec}.volumes[0].nfs.path: Invalid value: "": must be an absolute path`,
      `${spec}.volumes[0].name: Required value`,
      `${first}.name: Required value`,
      `${first}.image: Required value`,
      `${spec}.restartPolicy: Unsupported value: "No": supported values: "Always", "OnFailure", "Never"`,
      `${spec}.serviceAccountName: Invalid value: "A": `,
      `${spec}.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive`,
    ],
  ],
  [
    'names that are empty twice',
    { containers: [{ image: 'i' }, { image: 'i', livenessProbe: {} }] },
    [
      `${first}.name: Required value`,
      `${spec}.containers[1].name: Required value`,
      `${spec}.containers[1].name: Duplicate value: ""`,
      `${spec}.containers[1].livenessProbe: Required value: must specify a handler type`,
    ],
  ],
  [
    'the first handler alone is looked at',
    { containers: [{ ...app, lifecycle: { postStart: { exec: {}, sleep: {} } } }] },
    [
      `${first}.lifecycle.postStart.exec.command: Required value`,
      `${first}.lifecycle.postStart.sleep: Forbidden: ${tooMany}`,
    ],
  ],
  [
    'a container is started again by its own policy',
    { containers: [{ ...app, restartPolicy: 'No', restartPolicyRules: [{}] }] },
    [
      `${first}.restartPolicy: Unsupported value: "No": supported values: "Always", "Never", "OnFailure"`,
      `${first}.restartPolicyRules[0].action: Unsupported value: "": supported values: "Restart", "RestartAllContainers"`,
      `${first}.restartPolicyRules[0].exitCodes: Required value: must be specified`,
    ],
  ],
  [
    'devices and mounts of one volume',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          ...app,
          volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '/x', recursiveReadOnly: 'Enabled' }],
          volumeDevices: [{ name: 'v', devicePath: '../b' }],
        },
      ],
    },
    [
      `${first}.volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices`,
      `${first}.volumeMounts.subPath: Invalid value: "/x": must be a relative path`,
      `${first}.volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true`,
      `${first}.volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode`,
      `${first}.volumeDevices[0].devicePath: Invalid value: "../b": can not contain backsteps ('..')`,
      `${first}.volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts`,
    ],
  ],
  [
    'names to find, and claims of devices',
    {
      containers: [{ ...app, resources: { claims: [{ name: 'gpu' }, {}] } }],
      resourceClaims: [{ name: 'nic' }],
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['x'], searches: ['A'], options: [{}] },
      readinessGates: [{ conditionType: 'a b' }],
    },
    [
      `${spec}.resourceClaims[0]: Invalid value: {"name":"nic"}: must specify one of: \`resourceClaimName\`, \`resourceClaimTemplateName\``,
      `${first}.resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims: nic`,
      `${first}.resources.claims[1]: Required value`,
      `${spec}.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address`,
      `${spec}.dnsConfig.searches[0]: Invalid value: "A": a lowercase RFC 1123 subdomain`,
      `${spec}.dnsConfig.options[0]: Required value: must not be empty`,
      `${spec}.readinessGates[0].conditionType: Invalid value: "a b": name part must consist of`,
    ],
  ],
  [
    'pods that spread and that keep apart',
    {
      containers: [app],
      topologySpreadConstraints: [{ matchLabelKeys: ['a'], minDomains: 0, nodeTaintsPolicy: 'No' }],
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ['A'] }] },
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} },
      },
    },
    [
      `${spec}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have`,
      `${spec}.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: "A"`,
      `${spec}.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty`,
      `${spec}.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty`,
      `${spec}.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must consist of`,
      `${spec}.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero`,
      `${spec}.topologySpreadConstraints[0].topologyKey: Required value: can not be empty`,
      `${spec}.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: ""`,
      `${spec}.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero`,
      `${spec}.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if`,
      `${spec}.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "No": supported values: "Honor", "Ignore"`,
      `${spec}.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
    ],
  ],
];

test.each(orders)('%s', (_, given, errors) => {
  const found = createErrors(pods, { spec: given });
  expect(found).toHaveLength(errors.length);
  expect(found).toEqual(errors.map((error) => expect.stringContaining(error)));
});

test('pods of a StatefulSet mount the claims that are made for them', () => {
  const labels = { app: 'a' };
  const withMount = (name: string) => ({
    spec: {
      serviceName: 's',
      selector: { matchLabels: labels },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }],
      template: {
        metadata: { labels },
        spec: { hostname: 'Not_One', containers: [{ ...app, volumeMounts: [{ name, mountPath: '/data' }] }] },
      },
    },
  });
  expect(createErrors(statefulSets, withMount('data'))).toEqual([]);
  expect(createErrors(statefulSets, withMount('other'))).toEqual([
    'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "other"',
  ]);
});
