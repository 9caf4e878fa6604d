import { expect, test } from 'vitest';
import { replicationControllers } from './replication-controller.js';
import { created, createErrors, row } from './testing/write.js';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx:1' }] } };

test('ReplicationController selects the pods of its template unless told otherwise', () => {
  const { metadata, spec, status } = created(replicationControllers, { spec: { template } });
  expect([metadata.labels, spec.selector, spec.replicas, status]).toEqual([
    { app: 'web' },
    { app: 'web' },
    1,
    { replicas: 0 },
  ]);
});

// spec | what is wrong with it
const invalid: [object, string[]][] = [
  [{ template }, []],
  [{ template, replicas: -1 }, ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  [{ template: { spec: template.spec } }, ['spec.selector: Required value']],
  [
    { template, selector: { app: 'db' } },
    ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
  ],
];

test.each(invalid)('ReplicationController of %j', (spec, errors) => {
  expect(createErrors(replicationControllers, { spec })).toEqual(errors);
});

test('ReplicationController shows what kubectl get does', () => {
  expect(
    row(replicationControllers, created(replicationControllers, { spec: { template, replicas: 2 } })),
  ).toMatchObject({
    DESIRED: 2,
    CURRENT: 0,
    READY: 0,
    SELECTOR: 'app=web',
  });
});
