import { expect, test } from 'vitest';
import { aServer } from '../testing/a-server.js';
import { compareVersions } from './api-resources.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

test('versions are ordered by stage, then number, other names last', () => {
  const versions = ['foo', 'v2alpha1', 'v1', 'v10', 'v1beta2', 'v1beta10', 'bar', 'v2'];
  expect(versions.sort(compareVersions)).toEqual(['v10', 'v2', 'v1', 'v1beta10', 'v1beta2', 'v2alpha1', 'bar', 'foo']);
});

test('aggregated discovery comes with a type and a tag of its own, and not twice', async () => {
  const { ask } = await aServer();
  const first = await ask('GET', '/apis', undefined, { accept: `${aggregated},application/json` });
  expect(first.headers['content-type']).toBe(aggregated);
  const some = [
    'apps',
    'events.k8s.io',
    'batch',
    'policy',
    'apiextensions.k8s.io',
    'scheduling.k8s.io',
    'coordination.k8s.io',
  ];
  const groups: string[] = first.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(groups.filter((group) => some.includes(group))).toEqual(some);
  const { etag = '' } = first.headers;
  const second = await ask('GET', '/apis', undefined, { accept: aggregated, 'if-none-match': etag });
  expect(second).toMatchObject({ status: 304, body: undefined });
});

test('discovery follows the definitions at once', async () => {
  const { api, ask } = await aServer();
  const plurals = async () => {
    const { body } = await ask('GET', '/api', undefined, { accept: aggregated });
    return body.items[0].versions[0].resources.map(({ resource }: { resource: string }) => resource);
  };
  expect(await plurals()).toContain('configmaps');
  api.definitions.replace('', 'configmaps', []);
  expect(await plurals()).not.toContain('configmaps');
});

test('every resource is in both forms of discovery, with its subresources', async () => {
  const { ask } = await aServer();
  const legacy = (await ask('GET', '/api/v1')).body.resources.map(({ name }: { name: string }) => name);
  expect(legacy).toEqual(expect.arrayContaining(['pods', 'pods/status', 'pods/binding', 'namespaces/finalize']));
  const { body } = await ask('GET', '/apis', undefined, { accept: aggregated });
  const apps = body.items[0].versions[0].resources;
  expect(apps.find(({ resource }: { resource: string }) => resource === 'deployments')).toMatchObject({
    responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
    shortNames: ['deploy'],
    subresources: [
      { subresource: 'status', responseKind: { kind: 'Deployment' } },
      { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
    ],
  });
});
