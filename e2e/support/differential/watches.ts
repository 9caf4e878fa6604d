import fc from 'fast-check';
import type { Scenario, Step } from './scenarios.js';

const json = 'application/json';

/** Kinds of objects that are watched: collections with objects that both servers accept. */
const kinds = [
  { collection: '/api/v1/namespaces/{ns}/configmaps', object: { apiVersion: 'v1', kind: 'ConfigMap' } },
  {
    collection: '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases',
    object: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  },
  {
    collection: '/api/v1/namespaces/{ns}/events',
    object: { apiVersion: 'v1', kind: 'Event', involvedObject: { namespace: '{ns}' } },
  },
];
type Kind = (typeof kinds)[number];

const labels = fc.constantFrom<object | null>({ app: 'a' }, { app: 'b' }, null);
const names = fc.constantFrom('a', 'b');

/** Writes of objects that enter and leave selections. */
function write({ collection, object }: Kind): fc.Arbitrary<Step> {
  const body = (name: string, given: object | null) => JSON.stringify({ ...object, metadata: { name, labels: given } });
  const of = fc.record({ name: names, given: labels });
  return fc.oneof(
    of.map(({ name, given }) => ({ method: 'POST', path: collection, contentType: json, body: body(name, given) })),
    of.map(({ name, given }) => ({
      method: 'PATCH',
      path: `${collection}/${name}`,
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ metadata: { labels: given } }),
    })),
    names.map((name) => ({ method: 'DELETE', path: `${collection}/${name}` })),
  );
}

/** What a watch asks for; each option is mostly left out. */
const options = fc.record(
  {
    resourceVersion: fc.constantFrom('{rv}', '{rv}', '0', '0', '', 'a', '-1', '99999999999'),
    resourceVersionMatch: fc.constantFrom('NotOlderThan', 'NotOlderThan', 'Exact', 'Some'),
    sendInitialEvents: fc.constantFrom('true', 'true', 'false', 'a'),
    allowWatchBookmarks: fc.constantFrom('true', 'true', 'false', 'a'),
    labelSelector: fc.constantFrom('app=a', 'app!=a', '!app', 'a b'),
    fieldSelector: fc.constantFrom('metadata.name=a', 'metadata.name!=a', 'nope=a'),
    limit: fc.constantFrom('1', 'a'),
    continue: fc.constant('a'),
  },
  { requiredKeys: [] },
);

const accepts = fc.constantFrom(
  undefined,
  undefined,
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/yaml',
);

/** The end of a stream, after which it is compared: long enough for the wait for a version that is not there yet. */
const timeoutSeconds = '4';

/** Scenarios of one watch: objects are written, then it begins, and more are written while it is open. */
export const watchScenario: fc.Arbitrary<Scenario> = fc.constantFrom(...kinds).chain((kind) =>
  fc
    .record({
      before: fc.array(write(kind), { maxLength: 3 }),
      during: fc.array(write(kind), { maxLength: 4 }),
      given: options,
      accept: accepts,
      form: fc.constantFrom('query', 'query', 'path', 'object', 'object path'),
    })
    .map(({ before, during, given, accept, form }) => {
      const query = new URLSearchParams({ ...given, timeoutSeconds }).toString().replaceAll('%7Brv%7D', '{rv}');
      const watched = form.startsWith('object') ? `${kind.collection}/a` : kind.collection;
      const path = form.endsWith('path')
        ? `${watched.replace(/\/v1\//, '/v1/watch/')}?${query}`
        : `${watched}?watch=true&${query}`;
      const watch: Step = { method: 'GET', path, ...(accept !== undefined && { accept }), during };
      return { kind: `watch of ${kind.object.kind}`, steps: [...before, watch] };
    }),
);
