import fc from 'fast-check';
import type { Scenario, Step } from './scenarios.js';

/** Groups with their versions, some of which are not served. */
const versions = [
  ...['apps/v1', 'apps/v1beta1', 'batch/v1', 'autoscaling/v1', 'autoscaling/v2', 'policy/v1', 'nope.dev/v1'],
  ...['rbac.authorization.k8s.io/v1', 'storage.k8s.io/v1', 'certificates.k8s.io/v1', 'resource.k8s.io/v1'],
  ...['networking.k8s.io/v1', 'node.k8s.io/v1', 'apiextensions.k8s.io/v1', 'admissionregistration.k8s.io/v1'],
  ...['authentication.k8s.io/v1', 'authorization.k8s.io/v1', 'coordination.k8s.io/v1', 'discovery.k8s.io/v1'],
  ...['events.k8s.io/v1', 'flowcontrol.apiserver.k8s.io/v1', 'scheduling.k8s.io/v1', 'storagemigration.k8s.io/v1'],
];

const own = '{ns}.dev/v1';
const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const accepts = fc.constantFrom(
  undefined,
  'application/json',
  'application/yaml',
  '*/*',
  'text/plain',
  aggregated('v2'),
  `${aggregated('v2')},application/json`,
  `${aggregated('v2beta1')},application/json`,
  aggregated('v2beta1'),
  aggregated('v3'),
);

/** What is served: roots, groups and versions, with what a definition adds. */
const discovery: fc.Arbitrary<Step> = fc
  .record({
    path: fc.oneof(
      fc.constantFrom('/api', '/apis', '/api/v1', '/api/v2', '/api/', '/apis/'),
      fc.constantFrom(...versions, own, own).map((version) => `/apis/${version}`),
      fc.constantFrom(...versions, own, own).map((version) => `/apis/${version.split('/')[0]}`),
    ),
    accept: accepts,
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'POST'),
  })
  .map(({ path, accept, method }) => ({ method, path, ...(accept !== undefined && { accept }) }));

/** The documents that describe what is served. */
const openapi: fc.Arbitrary<Step> = fc
  .oneof(
    fc.constantFrom('/openapi/v3', '/openapi/v3/api/v1', '/openapi/v3/nope'),
    fc.constantFrom(...versions, own, own).map((version) => `/openapi/v3/apis/${version}`),
  )
  .chain((path) =>
    fc
      .constantFrom(undefined, 'application/json', '*/*', 'text/plain', 'application/yaml')
      .map((accept) => ({ method: 'GET', path, ...(accept !== undefined && { accept }) })),
  );

const leaf = fc.constantFrom<object>(
  { type: 'string' },
  { type: 'integer', minimum: 1, default: 5 },
  { type: 'string', enum: ['a', 'b'], nullable: true, description: 'd' },
  { 'x-kubernetes-int-or-string': true },
  { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  { type: 'object', additionalProperties: { type: 'string', format: 'date-time' } },
);

/** A definition, whose documents come with it. */
const definition: fc.Arbitrary<Step> = fc
  .record({
    properties: fc.dictionary(fc.constantFrom('a', 'b'), leaf, { maxKeys: 2 }),
    scope: fc.constantFrom('Namespaced', 'Cluster'),
    names: fc.constantFrom<object>({}, { shortNames: ['t', 'th'], categories: ['all'] }, { singular: 'one' }),
    subresources: fc.constantFrom<object>(
      {},
      { status: {} },
      { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
    ),
    isFree: fc.boolean(),
    deprecated: fc.boolean(),
  })
  .map(({ properties, scope, names, subresources, isFree, deprecated }) => ({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    contentType: 'application/json',
    body: JSON.stringify({
      metadata: { name: 'things.{ns}.dev' },
      spec: {
        group: '{ns}.dev',
        scope,
        names: { plural: 'things', kind: 'Thing', ...names },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            ...(deprecated && { deprecated }),
            subresources,
            schema: {
              openAPIV3Schema: isFree
                ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
                : { type: 'object', properties: { spec: { type: 'object', properties } } },
            },
          },
        ],
      },
    }),
  }));

/** Scenarios that read what a server says of itself, before and after a definition was created. */
export const documentScenario: fc.Arbitrary<Scenario> = fc
  .record({
    before: fc.array(fc.oneof(discovery, openapi), { maxLength: 2 }),
    defined: fc.option(definition, { nil: undefined }),
    after: fc.array(fc.oneof(discovery, openapi), { minLength: 1, maxLength: 4 }),
  })
  .map(({ before, defined, after }) => ({
    kind: 'documents',
    steps: [...before, ...(defined ? [defined] : []), ...after],
  }));
