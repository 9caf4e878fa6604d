import fc from 'fast-check';
import { writeOptions } from './options.js';
import { core, nodeName, patch, post, read } from './part-steps.js';
import { mostly } from './policy-odds.js';
import type { Scenario } from './scenarios.js';
import { someOf } from './schema-values.js';

const zone = 'topology.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';

const node = fc.subarray([zone, region, 'topology.kubernetes.io/rack', 'app']).map((keys) =>
  post('/api/v1/nodes', {
    metadata: { name: nodeName, labels: { run: '{ns}', ...Object.fromEntries(keys.map((key) => [key, 'x'])) } },
  }),
);

const requests = fc.constantFrom<object | undefined>(
  undefined,
  { requests: { cpu: '100m', memory: '64Mi' } },
  { requests: { cpu: '1' }, limits: { cpu: '1', memory: '1Gi' } },
);
const pod = fc
  .record({
    labels: fc.constantFrom<object>({ app: 'a' }, { app: 'a', [zone]: 'own' }, {}),
    resources: requests,
    more: someOf(0, {
      nodeName: fc.constant(nodeName),
      schedulingGates: fc.constant([{ name: 'example.dev/g' }]),
      restartPolicy: fc.constantFrom('Never', 'OnFailure'),
      terminationGracePeriodSeconds: fc.constantFrom(0, 5),
      initContainers: fc.constant([{ name: 'side', image: 'registry.example/side:1', restartPolicy: 'Always' }]),
      resources: fc.constant({ limits: { cpu: '2' } }),
    }),
  })
  .map(({ labels, resources, more }) =>
    post(`${core}/pods`, {
      metadata: { name: 'a', labels },
      spec: {
        containers: [{ name: 'main', image: 'registry.example/app:1', ...(resources && { resources }) }],
        ...more,
      },
    }),
  );

const podStatus = fc
  .constantFrom<object>(
    { nominatedNodeName: nodeName },
    { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    { phase: 'Running' },
    { phase: 'Succeeded' },
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'm' }] },
    { conditions: [{ type: 'a b', status: 'True', observedGeneration: -1 }] },
    { containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 1 } } }] },
    { containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 0 } } }] },
    { containerStatuses: [{ name: 'main', state: { running: {} } }] },
    { podIP: '192.0.2.1' },
    { podIP: '192.0.2.1', podIPs: [{ ip: '192.0.2.2' }, { ip: '192.0.2.3' }] },
    { podIPs: [{ ip: 'x' }], hostIP: '192.0.2.1', hostIPs: [{ ip: '192.0.2.2' }] },
    { qosClass: 'Guaranteed' },
    { resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'C' }] },
    { observedGeneration: -1, nominatedNodeName: 'A' },
  )
  .map((status) => patch(`${core}/pods/a/status`, { status }));

const binding = fc
  .record({
    path: mostly(fc.constantFrom('pods/a/binding', 'pods/a/binding', 'bindings'), 'pods/b/binding'),
    kind: mostly(fc.constant<unknown>('Binding'), 'Pod', ''),
    metadata: someOf(0, {
      uid: fc.constantFrom('{uid}', 'other'),
      resourceVersion: fc.constantFrom('{rv}', '1', 'x'),
      labels: fc.constantFrom<object>({ [zone]: 'given' }, { more: 'm' }, { 'a b': 'c' }),
      annotations: fc.constantFrom<object>({ k: 'v' }, { 'pod.beta.kubernetes.io/init-containers': '[]' }),
      namespace: fc.constantFrom('{ns}', 'default'),
      name: fc.constantFrom('a', 'b', ''),
    }),
    target: fc.record({
      kind: mostly(fc.constantFrom('Node', 'Node', ''), 'Pod', 'node'),
      name: mostly<unknown>(fc.constantFrom(nodeName, nodeName, 'nope'), '', 'A_b', 1, '{ns}/n'),
    }),
    options: writeOptions,
  })
  .map(({ path, kind, metadata, target, options }) =>
    post(`${core}/${path}${options}`, { apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, target }),
  );

const budget = fc
  .record({
    spec: fc.constantFrom<object>(
      { minAvailable: 1 },
      { maxUnavailable: '50%' },
      { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    ),
    status: fc.constantFrom<object | undefined>(
      undefined,
      { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1 },
      { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 },
      { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 },
    ),
    name: fc.constantFrom('p', 'q'),
  })
  .map(({ spec, status, name }) => {
    const path = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets';
    const made = post(path, { metadata: { name }, spec: { ...spec, selector: { matchLabels: { app: 'a' } } } });
    return [made, ...(status ? [patch(`${path}/${name}/status`, { status })] : [])];
  });

const eviction = fc
  .record({
    version: mostly(fc.constantFrom('policy/v1', 'policy/v1', 'policy/v1beta1'), 'v1', 'policy/v2'),
    name: mostly(fc.constantFrom('a', ''), 'b'),
    deleteOptions: fc.option(
      someOf(0, {
        gracePeriodSeconds: fc.constantFrom<unknown>(0, 1, -1, 'a'),
        preconditions: fc.constantFrom<unknown>({ uid: '{uid}' }, { uid: 'other' }, { resourceVersion: '{rv}' }, 1),
        dryRun: fc.constantFrom<unknown>(['All'], ['Some']),
        propagationPolicy: fc.constantFrom('Foreground', 'Orphan', 'Some'),
        unknown: fc.constant(1),
      }),
      { nil: undefined },
    ),
    options: writeOptions,
  })
  .map(({ version, name, deleteOptions, options }) =>
    post(`${core}/pods/a/eviction${options}`, {
      apiVersion: version,
      kind: 'Eviction',
      metadata: { ...(name && { name }), namespace: '{ns}' },
      ...(deleteOptions && { deleteOptions }),
    }),
  );

const debugging = fc
  .record({
    name: mostly(fc.constantFrom('d', 'e'), 'main', 'A'),
    image: mostly(fc.constant<unknown>('registry.example/tools:1'), '', 1),
    more: someOf(0, {
      targetContainerName: fc.constantFrom('main', 'nope'),
      ports: fc.constant([{ containerPort: 80 }]),
      resources: fc.constant({ limits: { cpu: '1' } }),
      readinessProbe: fc.constant({ exec: { command: ['true'] } }),
      securityContext: fc.constantFrom<object>({ privileged: true }, { runAsUser: -1 }),
      volumeMounts: fc.constantFrom<object[]>(
        [{ name: 'none', mountPath: '/x' }],
        [{ name: 'v', mountPath: '/x', subPath: 's' }],
      ),
      stdin: fc.constant(true),
      lifecycle: fc.constant({ preStop: { sleep: { seconds: 1 } } }),
      restartPolicy: fc.constantFrom('Always', 'Never'),
    }),
    part: mostly(fc.constant('/ephemeralcontainers'), '', '/status'),
    type: fc.constantFrom('merge-patch+json', 'strategic-merge-patch+json'),
  })
  .map(({ name, image, more, part, type }) =>
    patch(`${core}/pods/a${part}`, { spec: { ephemeralContainers: [{ name, image, ...more }] } }, type),
  );

const resize = fc
  .record({
    name: mostly(fc.constant('main'), 'nope', 'side'),
    resources: fc.constantFrom<object>(
      { requests: { cpu: '200m' } },
      { requests: { cpu: '3' }, limits: { cpu: '2' } },
      { requests: { cpu: '200m', memory: '128Mi' }, limits: { cpu: '1', memory: '1Gi' } },
      { requests: { cpu: null } },
      { requests: { cpu: '-1' } },
      { requests: { 'ephemeral-storage': '1Gi' } },
      { limits: { memory: '1Mi' } },
      { requests: { cpu: 'x' } },
      { claims: [{ name: 'c' }] },
    ),
    more: fc.constantFrom<object>(
      {},
      {},
      {},
      { image: 'registry.example/app:2' },
      {
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
      },
    ),
    part: mostly(fc.constant('/resize'), ''),
  })
  .map(({ name, resources, more, part }) =>
    patch(
      `${core}/pods/a${part}`,
      { spec: { containers: [{ name, resources, ...more }] } },
      'strategic-merge-patch+json',
    ),
  );

/** Scenarios of one pod: it is bound, evicted, debugged and resized, and its status is written. */
export const podPartScenario: fc.Arbitrary<Scenario> = fc
  .record({
    place: fc.option(node, { nil: undefined }),
    made: pod,
    status: fc.option(podStatus, { nil: undefined }),
    budgets: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(budget, { minLength: 1, maxLength: 2 }) },
    ),
    after: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: binding.map((each) => [each, read(`${core}/pods/a`)]) },
        { weight: 3, arbitrary: eviction.map((each) => [each, read(`${core}/pods/a`)]) },
        { weight: 2, arbitrary: debugging.map((each) => [each]) },
        { weight: 2, arbitrary: resize.map((each) => [each]) },
        { weight: 3, arbitrary: podStatus.map((each) => [each]) },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ place, made, status, budgets, after }) => ({
    kind: 'parts of pods',
    steps: [...(place ? [place] : []), made, ...(status ? [status] : []), ...budgets.flat(), ...after.flat()],
  }));
