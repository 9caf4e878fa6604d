import fc from 'fast-check';
import { certificateRequest } from './certificate-kinds.js';
import { writeOptions } from './options.js';
import { core, json, nodeName, patch, post, read } from './part-steps.js';
import { podPartScenario } from './pod-parts.js';
import { mostly } from './policy-odds.js';
import type { Scenario, Step } from './scenarios.js';
import { someOf } from './schema-values.js';
import { selector, template } from './sent-kinds.js';

const tokens: fc.Arbitrary<Scenario> = fc
  .array(
    fc
      .record({
        account: mostly(fc.constant('default'), 'nope'),
        metadata: someOf(0, {
          name: fc.constantFrom('default', 'other'),
          namespace: fc.constantFrom('{ns}', 'default'),
          uid: fc.constant('u'),
        }),
        spec: someOf(0, {
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
          metadata: someOf(0, {
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

const attributes = someOf(0, {
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

const subject = someOf(0, {
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
    spec: someOf(0, {
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
  { weight: 6, arbitrary: podPartScenario },
  { weight: 2, arbitrary: tokens },
  { weight: 3, arbitrary: scales },
  { weight: 3, arbitrary: reviews },
  { weight: 2, arbitrary: certificates },
);
