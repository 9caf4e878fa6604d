import fc from 'fast-check';
import { certificateRequest } from './certificate-kinds.js';
import { writeOptions } from './options.js';
import { mostly } from './policy-odds.js';
import type { Scenario, Step } from './scenarios.js';

const json = 'application/json';
const core = '/api/v1/namespaces/{ns}';
const nodeName = '{ns}-n';

function post(path: string, body: unknown): Step {
  return { method: 'POST', path, contentType: json, body: JSON.stringify(body) };
}

function patch(path: string, body: unknown, type = 'merge-patch+json'): Step {
  return { method: 'PATCH', path, contentType: `application/${type}`, body: JSON.stringify(body) };
}

const read = (path: string): Step => ({ method: 'GET', path });

/** At most two of the fields. */
function some(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  return fc
    .subarray(Object.keys(fields), { maxLength: 2 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, fields[name] as fc.Arbitrary<unknown>]))),
    );
}

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
    more: some({
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
    metadata: some({
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
      some({
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
    more: some({
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

const pods: fc.Arbitrary<Scenario> = fc
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

const tokens: fc.Arbitrary<Scenario> = fc
  .array(
    fc
      .record({
        account: mostly(fc.constant('default'), 'nope'),
        metadata: some({
          name: fc.constantFrom('default', 'other'),
          namespace: fc.constantFrom('{ns}', 'default'),
          uid: fc.constant('u'),
        }),
        spec: some({
          audiences: fc.constantFrom<unknown>(['a'], ['a', 'b'], [''], [], 'a'),
          expirationSeconds: fc.constantFrom<unknown>(600, 599, 3600, 4294967296, 4294967297, -1, 'a', null),
          boundObjectRef: fc
            .record({
              kind: fc.constantFrom('Pod', 'Secret', 'Node', 'ConfigMap', ''),
              apiVersion: mostly(fc.constant('v1'), 'v2', ''),
              name: fc.constantFrom('a', 'b', nodeName, ''),
            })
            .chain((ref) => fc.constantFrom(ref, ref, { ...ref, uid: 'other' })),
        }),
        options: writeOptions,
      })
      .map(({ account, metadata, spec, options }) =>
        post(`${core}/serviceaccounts/${account}/token${options}`, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata,
          spec,
        }),
      ),
    { minLength: 1, maxLength: 3 },
  )
  .map((asked) => ({
    kind: 'tokens',
    steps: [
      post(`${core}/secrets`, { metadata: { name: 'a' } }),
      post('/api/v1/nodes', { metadata: { name: nodeName, labels: { run: '{ns}' } } }),
      ...asked,
    ],
  }));

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
};
const selector = { matchLabels: { app: 'a' } };
const scaled = fc.constantFrom<readonly [string, object]>(
  ['/apis/apps/v1/namespaces/{ns}/deployments', { selector, template, replicas: 2 }],
  ['/apis/apps/v1/namespaces/{ns}/replicasets', { selector, template }],
  ['/apis/apps/v1/namespaces/{ns}/statefulsets', { selector, template, serviceName: 's', replicas: 2 }],
  [`${core}/replicationcontrollers`, { selector: { app: 'a' }, template }],
);

const scales: fc.Arbitrary<Scenario> = scaled.chain(([collection, spec]) =>
  fc
    .array(
      fc
        .record({
          name: mostly(fc.constant('a'), 'b'),
          version: mostly(fc.constantFrom('autoscaling/v1', 'autoscaling/v1', 'apps/v1beta1'), 'autoscaling/v2', 'v1'),
          kind: mostly(fc.constant('Scale'), 'Deployment'),
          metadata: some({
            name: fc.constantFrom('a', 'b'),
            namespace: fc.constantFrom('{ns}', 'default'),
            resourceVersion: fc.constantFrom('{rv}', '1', 'x'),
            uid: fc.constantFrom('{uid}', 'other'),
            labels: fc.constant({ x: 'y' }),
          }),
          replicas: fc.constantFrom<unknown>(0, 3, 3, -1, 'a', null, 1.5, 2147483648, undefined),
          more: fc.constantFrom<object>({}, {}, {}, { status: { replicas: 9 } }, { unknown: 1 }),
          method: fc.constantFrom('PUT', 'PUT', 'merge-patch+json', 'json-patch+json', 'apply-patch+yaml', 'GET'),
          options: writeOptions,
        })
        .map(({ name, version, kind, metadata, replicas, more, method, options }): Step => {
          const path = `${collection}/${name}/scale`;
          if (method === 'GET') return read(path);
          const ops = [{ op: 'replace', path: '/spec/replicas', value: replicas ?? null }];
          if (method === 'json-patch+json') return patch(`${path}${options}`, ops, method);
          const change = { metadata, spec: { replicas }, ...more };
          if (method === 'merge-patch+json') return patch(`${path}${options}`, change, method);
          const whole = { apiVersion: version, kind, ...change, metadata: { name: 'a', ...metadata } };
          if (method === 'PUT')
            return { method, path: `${path}${options}`, contentType: json, body: JSON.stringify(whole) };
          return patch(`${path}?fieldManager=one`, whole, method);
        }),
      { minLength: 1, maxLength: 3 },
    )
    .map((steps) => ({
      kind: 'scales',
      steps: [post(collection, { metadata: { name: 'a' }, spec }), ...steps, read(`${collection}/a`)],
    })),
);

const attributes = some({
  resourceAttributes: fc.record(
    {
      namespace: fc.constantFrom('{ns}', '', '*'),
      verb: fc.constantFrom('get', '*', 'fly', ''),
      group: fc.constantFrom('', 'apps', '*'),
      version: fc.constantFrom('v1', '*'),
      resource: fc.constantFrom('pods', '*', ''),
      subresource: fc.constantFrom('status', ''),
      name: fc.constantFrom('a', ''),
      fieldSelector: fc.constantFrom<object>(
        { rawSelector: 'metadata.name=a' },
        { rawSelector: 'a b' },
        { requirements: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] },
        { requirements: [{ key: '', operator: 'Exists', values: ['a'] }], rawSelector: 'a=b' },
        { requirements: [{ key: 'a', operator: 'Near' }] },
        {},
      ),
      labelSelector: fc.constantFrom<object>(
        { rawSelector: 'app=a' },
        { requirements: [{ key: 'app', operator: 'NotIn', values: ['a', 'b'] }] },
        { requirements: [{ key: 'app', operator: 'In' }] },
        {},
      ),
    },
    { requiredKeys: [] },
  ),
  nonResourceAttributes: fc.record(
    { path: fc.constantFrom('/healthz', '/api/*', '', 'x'), verb: fc.constantFrom('get', '') },
    { requiredKeys: [] },
  ),
});

const subject = some({
  user: fc.constantFrom<unknown>('anna', '', 'system:serviceaccount:{ns}:default', 1),
  groups: fc.constantFrom<unknown>(['system:masters'], ['system:authenticated'], [], 'a'),
  uid: fc.constant('u'),
  extra: fc.constantFrom<unknown>({ scope: ['a'] }, { 'A/b': [] }, { x: 'y' }),
});

const review = fc.oneof(
  fc
    .record({
      name: fc.constantFrom('subjectaccessreviews', 'selfsubjectaccessreviews', 'localsubjectaccessreviews'),
      spec: fc.record({ what: attributes, who: subject }),
      metadata: fc.constantFrom<object>({}, {}, {}, { name: 'a' }, { labels: { a: 'b' } }, { namespace: '{ns}' }),
      options: writeOptions,
    })
    .map(({ name, spec, metadata, options }) => {
      const kinds: Readonly<Record<string, string>> = {
        subjectaccessreviews: 'SubjectAccessReview',
        selfsubjectaccessreviews: 'SelfSubjectAccessReview',
        localsubjectaccessreviews: 'LocalSubjectAccessReview',
      };
      const where = name.startsWith('local') ? 'namespaces/{ns}/' : '';
      return post(`/apis/authorization.k8s.io/v1/${where}${name}${options}`, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: kinds[name],
        metadata,
        spec: { ...spec.what, ...spec.who },
      });
    }),
  fc
    .record({ namespace: fc.constantFrom<unknown>('{ns}', 'nope', '', 1, undefined), options: writeOptions })
    .map(({ namespace, options }) =>
      post(`/apis/authorization.k8s.io/v1/selfsubjectrulesreviews${options}`, {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: { namespace },
      }),
    ),
  fc
    .record({
      token: fc.constantFrom<unknown>('nope', 'a.b.c', '', 1),
      audiences: fc.constantFrom<unknown>(undefined, ['a'], 'a'),
      options: writeOptions,
    })
    .map(({ token, audiences, options }) =>
      post(`/apis/authentication.k8s.io/v1/tokenreviews${options}`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences },
      }),
    ),
  writeOptions.map((options) =>
    post(`/apis/authentication.k8s.io/v1/selfsubjectreviews${options}`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    }),
  ),
);

const reviews: fc.Arbitrary<Scenario> = fc
  .array(review, { minLength: 1, maxLength: 4 })
  .map((steps) => ({ kind: 'reviews', steps }));

const requestPath = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const condition = fc.record({
  type: mostly(fc.constantFrom('Approved', 'Denied', 'Failed'), '', 'Other'),
  status: mostly<unknown>(fc.constant('True'), 'False', '', undefined),
  reason: fc.constantFrom<unknown>('R', undefined),
});
const certificates: fc.Arbitrary<Scenario> = fc
  .record({
    spec: some({
      usages: mostly<unknown>(
        fc.constantFrom(['client auth'], ['digital signature', 'client auth']),
        ['nope'],
        [],
        ['client auth', 'client auth'],
      ),
      expirationSeconds: fc.constantFrom<unknown>(600, 599, 2147483648, 'a'),
      signerName: mostly<unknown>(
        fc.constantFrom('example.dev/a', 'kubernetes.io/kube-apiserver-client'),
        'nope',
        'A/b',
        '',
      ),
      username: fc.constant('other'),
      request: fc.constantFrom('YQ==', '', 'not base64'),
    }),
    steps: fc.array(
      fc
        .record({
          part: mostly(fc.constantFrom('/approval', '/approval', '/status'), ''),
          conditions: fc.array(condition, { maxLength: 2 }),
          certificate: fc.constantFrom<unknown>(undefined, undefined, 'YQ==', ''),
          options: writeOptions,
        })
        .map(({ part, conditions, certificate, options }) =>
          patch(`${requestPath}/{ns}-a${part}${options}`, { status: { conditions, certificate } }),
        ),
      { maxLength: 3 },
    ),
  })
  .map(({ spec, steps }) => ({
    kind: 'certificate requests',
    steps: [
      post(requestPath, {
        metadata: { name: '{ns}-a', labels: { run: '{ns}' } },
        spec: { request: certificateRequest, signerName: 'example.dev/a', usages: ['client auth'], ...spec },
      }),
      ...steps,
    ],
  }));

/** Scenarios of what is asked for under an object, or of nothing that is stored, with a body of a kind of its own. */
export const partScenario: fc.Arbitrary<Scenario> = fc.oneof(
  { weight: 6, arbitrary: pods },
  { weight: 2, arbitrary: tokens },
  { weight: 3, arbitrary: scales },
  { weight: 3, arbitrary: reviews },
  { weight: 2, arbitrary: certificates },
);
