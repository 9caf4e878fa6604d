import fc from 'fast-check';
import type { Step } from './scenarios.js';

const maps = '/api/v1/namespaces/{ns}/configmaps';
const deployments = '/apis/apps/v1/namespaces/{ns}/deployments';
const autoscalers = '/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers';
const json = 'application/json';
const merge = 'application/merge-patch+json';

const names = fc.constantFrom('a', 'b', 'a');
const labels = fc.constantFrom<object | undefined>({ app: 'a' }, { app: 'b' }, undefined);
const options = fc.constantFrom('', '', '', '?dryRun=All', '?fieldManager=one');

const map = fc
  .record({ name: names, labels, data: fc.constantFrom<object | undefined>({ a: '1' }, { a: '2', x: '1' }, undefined) })
  .map(({ name, labels: given, data }) => ({
    metadata: { name, ...(given && { labels: given }) },
    ...(data && { data }),
  }));
const deployment = fc
  .record({ name: names, labels, replicas: fc.constantFrom(1, 3) })
  .map(({ name, labels: given, replicas }) => ({
    metadata: { name, ...(given && { labels: given }) },
    spec: deploymentSpec(replicas),
  }));

function deploymentSpec(replicas: number): object {
  const containers = [{ name: 'main', image: 'registry.example/app:1' }];
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers } };
  return { replicas, selector: { matchLabels: { app: 'a' } }, template };
}

/** Objects that are there before a policy takes effect. */
export const objectsBefore: readonly Step[] = [
  send('POST', maps, { metadata: { name: 'a', labels: { app: 'a' } }, data: { a: '1' } }),
  send('POST', deployments, { metadata: { name: 'a' }, spec: deploymentSpec(1) }),
];

const write = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(map, options).map(([body, query]) => send('POST', `${maps}${query}`, body)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(map, options)
      .map(([body, query]) => send('PUT', `${maps}/${body.metadata.name}${query}`, body)),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        name: names,
        change: fc.constantFrom<object>(
          { data: { a: '2' } },
          { metadata: { labels: { app: 'a' } } },
          {},
          { data: null },
        ),
        query: options,
      })
      .map(({ name, change, query }) => send('PATCH', `${maps}/${name}${query}`, change, merge)),
  },
  {
    weight: 1,
    arbitrary: map.map((body) =>
      send(
        'PATCH',
        `${maps}/${body.metadata.name}?fieldManager=one`,
        { apiVersion: 'v1', kind: 'ConfigMap', ...body },
        'application/apply-patch+yaml',
      ),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(names, options).map(([name, query]) => send('DELETE', `${maps}/${name}${query}`)) },
  { weight: 1, arbitrary: fc.constant(send('DELETE', `${maps}?labelSelector=app`)) },
  {
    weight: 4,
    arbitrary: fc.tuple(deployment, options).map(([body, query]) => send('POST', `${deployments}${query}`, body)),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({
        name: names,
        replicas: fc.constantFrom(1, 2, 5),
        part: fc.constantFrom('', '/scale', '/scale', '/status'),
      })
      .map(({ name, replicas, part }) => {
        const body = part === '/status' ? { status: { replicas, updatedReplicas: replicas } } : { spec: { replicas } };
        return send('PATCH', `${deployments}/${name}${part}`, body, merge);
      }),
  },
  {
    weight: 1,
    arbitrary: names.map((name) =>
      send('POST', autoscalers, {
        metadata: { name },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
      }),
    ),
  },
);

/** Requests that a policy may be about: at most that many. */
export function writesUnderPolicies(maxLength: number): fc.Arbitrary<Step[]> {
  return fc.array(write, { maxLength, size: 'max' });
}

function send(method: string, path: string, body?: object, contentType = json): Step {
  return { method, path, ...(body && { contentType, body: JSON.stringify(body) }) };
}
