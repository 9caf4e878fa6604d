import { qosClass } from '@slipway/kube-objects/rules/pod-qos';
import { describe, expect, test } from 'vitest';
import { pods } from './pod.js';
import { pullPolicyOf } from './pod-defaults.js';
import { created, createErrors, now, updateErrors } from './testing/write.js';

const app = { name: 'app', image: 'nginx' };
const pod = (spec: object = {}) => ({ spec: { containers: [app], ...spec } });
const container = (fields: object) => pod({ containers: [{ ...app, ...fields }] });

test('pods get the defaults that Kubernetes gives', () => {
  expect(
    created(pods, container({ ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { port: 80 } } })),
  ).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'it' },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'nginx',
          imagePullPolicy: 'Always',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          readinessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  });
});

test.each([
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['registry:5000/nginx', 'Always'],
  ['nginx:1.27', 'IfNotPresent'],
  ['registry:5000/team/nginx:1.27', 'IfNotPresent'],
  ['nginx@sha256:0123', 'IfNotPresent'],
  ['nginx:latest@sha256:0123', 'Always'],
  ['Registry.example:5000/team-a/nginx__x', 'Always'],
  ['[::1]:5000/nginx', 'Always'],
  ['a b', 'IfNotPresent'],
  ['registry/Nginx', 'IfNotPresent'],
  ['nginx:', 'IfNotPresent'],
  ['', 'IfNotPresent'],
])('pullPolicyOf(%j) is %s', (image, policy) => {
  expect(pullPolicyOf(image)).toBe(policy);
});

test('pods default requests to limits and keep requests that are given', () => {
  const { spec } = created(
    pods,
    container({ resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } }),
  );
  expect(spec.containers[0].resources.requests).toEqual({ cpu: '1', memory: '1Gi' });
});

test('pods on the network of their host take its ports', () => {
  const { spec } = created(pods, pod({ hostNetwork: true, containers: [{ ...app, ports: [{ containerPort: 80 }] }] }));
  expect(spec.containers[0].ports).toEqual([{ containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
});

test('pods default their volumes', () => {
  const volumes = [{ name: 'a' }, { name: 'b', secret: { secretName: 's' } }, { name: 'c', hostPath: { path: '/' } }];
  expect(created(pods, pod({ volumes })).spec.volumes).toEqual([
    { name: 'a', emptyDir: {} },
    { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
    { name: 'c', hostPath: { path: '/', type: '' } },
  ]);
});

test('pods with scheduling gates start with a condition that says so', () => {
  const { status } = created(pods, pod({ schedulingGates: [{ name: 'example.com/wait' }] }));
  expect(status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }]);
  expect(Date.parse(status.conditions[0].lastTransitionTime)).toBe(now);
});

test.each([
  ['BestEffort', {}],
  ['Burstable', { requests: { cpu: '1' } }],
  ['Burstable', { limits: { cpu: '1' } }],
  ['Burstable', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }],
  ['Guaranteed', { requests: { cpu: '1000m', memory: '1Gi' }, limits: { cpu: '1', memory: '1024Mi' } }],
  ['Guaranteed', { limits: { cpu: '1', memory: '1Gi' } }],
  ['BestEffort', { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } }],
])('qosClass() is %s for %j', (quality, resources) => {
  expect(qosClass({ containers: [{ resources }] })).toBe(quality);
});

test('qosClass() is Burstable when one container of two is not fixed', () => {
  const fixed = { limits: { cpu: '1', memory: '1Gi' } };
  expect(qosClass({ containers: [{ resources: fixed }, {}] })).toBe('Burstable');
});

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const at = 'spec.containers[0]';

// pod | what is wrong with it
const invalidPods: [object, string[]][] = [
  [pod(), []],
  [{ spec: {} }, ['spec.containers: Required value']],
  [container({ name: '' }), [`${at}.name: Required value`]],
  [container({ name: 'App' }), [`${at}.name: Invalid value: "App": ${label}`]],
  [container({ image: '' }), [`${at}.image: Required value`]],
  [
    container({ image: ' nginx' }),
    [`${at}.image: Invalid value: " nginx": must not have leading or trailing whitespace`],
  ],
  [pod({ containers: [app, app] }), ['spec.containers[1].name: Duplicate value: "app"']],
  [
    container({ imagePullPolicy: 'Sometimes' }),
    [`${at}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`],
  ],
  [
    container({ ports: [{ containerPort: 70_000 }] }),
    [`${at}.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`],
  ],
  [container({ ports: [{}] }), [`${at}.ports[0].containerPort: Required value`]],
  [
    container({
      ports: [
        { name: 'web', containerPort: 1 },
        { name: 'web', containerPort: 2 },
      ],
    }),
    [`${at}.ports[1].name: Duplicate value: "web"`],
  ],
  [
    container({ ports: [{ containerPort: 1, protocol: 'tcp' }] }),
    [`${at}.ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"`],
  ],
  [
    container({ env: [{ name: 'a=b' }] }),
    [
      `${at}.env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
  ],
  [
    container({ env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
    [`${at}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
  ],
  [
    container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'c' } } }] }),
    [`${at}.env[0].valueFrom.configMapKeyRef.key: Required value`],
  ],
  [
    container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
    [`${at}.volumeMounts[0].name: Not found: "data"`],
  ],
  [
    {
      spec: {
        containers: [
          {
            ...app,
            volumeMounts: [
              { name: 'v', mountPath: '/a' },
              { name: 'v', mountPath: '/a' },
            ],
          },
        ],
        volumes: [{ name: 'v' }],
      },
    },
    [`${at}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique`],
  ],
  [
    container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    [`${at}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
  ],
  [
    container({ resources: { limits: { cpu: '-1' } } }),
    [
      `${at}.resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
      `${at}.resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`,
    ],
  ],
  [
    container({ resources: { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '1' } } }),
    [`${at}.resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2`],
  ],
  [container({ livenessProbe: {} }), [`${at}.livenessProbe: Required value: must specify a handler type`]],
  [
    container({ livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } }),
    [`${at}.livenessProbe.successThreshold: Invalid value: 2: must be 1`],
  ],
  [
    pod({ restartPolicy: 'Sometimes' }),
    ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
  ],
  [
    container({ readinessProbe: { httpGet: { port: 1, scheme: 'FTP' }, terminationGracePeriodSeconds: 5 } }),
    [
      `${at}.readinessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
      `${at}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes`,
    ],
  ],
  [
    container({ livenessProbe: { grpc: { port: 0 }, terminationGracePeriodSeconds: 0 } }),
    [
      `${at}.livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
      `${at}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
    ],
  ],
  [
    container({ ports: [1, 2].map((containerPort) => ({ containerPort, hostPort: 80 })) }),
    [`${at}.ports[1].hostPort: Duplicate value: "TCP//80"`],
  ],
  [
    pod({ ephemeralContainers: [{ name: 'e', image: 'i' }] }),
    ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  ],
  [
    pod({ hostAliases: [{ ip: 'x', hostnames: ['a.b'] }] }),
    ['spec.hostAliases[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [pod({ os: { name: 'beos' } }), ['spec.os: Unsupported value: "beos": supported values: "linux", "windows"']],
  [pod({ volumes: [{ name: 'v' }, { name: 'v' }] }), ['spec.volumes[1].name: Duplicate value: "v"']],
  [pod({ volumes: [{ name: 'v', secret: {} }] }), ['spec.volumes[0].secret.secretName: Required value']],
  [
    pod({ volumes: [{ name: 'v', emptyDir: {}, secret: { secretName: 's' } }] }),
    ['spec.volumes[0].secret: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    pod({ hostNetwork: true, containers: [{ ...app, ports: [{ containerPort: 1, hostPort: 2 }] }] }),
    [`${at}.ports[0].hostPort: Invalid value: 2: must match \`containerPort\` when \`hostNetwork\` is true`],
  ],
  [
    pod({ tolerations: [{ key: 'a', operator: 'Like' }] }),
    ['spec.tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"'],
  ],
  [pod({ initContainers: [{ name: 'app', image: 'x' }] }), ['spec.initContainers[0].name: Duplicate value: "app"']],
  [
    pod({ initContainers: [{ name: 'i', image: 'x', livenessProbe: { exec: { command: ['true'] } } }] }),
    [
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    pod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } }),
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  ],
  [
    pod({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] }),
    ['spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero'],
  ],
];

test.each(invalidPods)('pods: %j', (given, errors) => {
  expect(createErrors(pods, given)).toEqual(errors);
});

describe('pods are what they are', () => {
  const mutable =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
    '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
    '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  const tolerant = pod({ tolerations: [{ key: 'a', operator: 'Exists' }] });
  const gated = pod({ schedulingGates: [{ name: 'g' }] });
  const updates: [string, object, object, string[]][] = [
    ['nothing', pod(), pod(), []],
    ['image', pod(), container({ image: 'nginx:2', imagePullPolicy: 'Always' }), []],
    ['deadline', pod(), pod({ activeDeadlineSeconds: 5 }), []],
    ['one more toleration', pod(), tolerant, []],
    [
      'one toleration less',
      tolerant,
      pod(),
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    ['node', pod(), pod({ nodeName: 'n' }), [mutable]],
    ['command', pod(), container({ command: ['x'] }), [mutable]],
    ['grace', pod(), pod({ terminationGracePeriodSeconds: 1 }), [mutable]],
    [
      'one container more',
      pod(),
      pod({ containers: [app, { name: 'b', image: 'b' }] }),
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    ['gate falls', gated, pod(), []],
    [
      'gate rises',
      pod(),
      gated,
      ["spec.schedulingGates: Forbidden: only deletion is allowed, but found new scheduling gates 'g'"],
    ],
    ['gated pod is narrowed', gated, pod({ schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } }), []],
  ];
  test.each(updates)('pods: %s', (_what, before, after, errors) => {
    expect(updateErrors(pods, before, after)).toEqual(errors);
  });
});

// pod | requested seconds | granted
const graces: [object, number | undefined, number][] = [
  [{ spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } }, undefined, 30],
  [{ spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } }, 5, 5],
  [{ spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } }, 0, 0],
  [{ spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } }, -1, 1],
  [{ spec: { nodeName: 'n', terminationGracePeriodSeconds: -3 } }, undefined, 1],
  [{ spec: { terminationGracePeriodSeconds: 30 } }, undefined, 0],
  [{ spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 }, status: { phase: 'Failed' } }, 10, 0],
];

test.each(graces)('pods are given time to stop: %j asked for %s', (given, requested, seconds) => {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: {}, ...given };
  expect(pods.gracePeriodSeconds?.(object, requested)).toBe(seconds);
});

test('pods can be selected by their fields', () => {
  const object = created(pods, pod({ nodeName: 'n', hostNetwork: true }));
  const fields = Object.entries(pods.selectableFields).map(([path, read]) => [path, read(object)]);
  expect(Object.fromEntries(fields)).toEqual({
    'spec.nodeName': 'n',
    'spec.restartPolicy': 'Always',
    'spec.schedulerName': 'default-scheduler',
    'spec.serviceAccountName': '',
    'spec.hostNetwork': 'true',
    'status.phase': 'Pending',
    'status.podIP': '',
    'status.nominatedNodeName': '',
  });
});
