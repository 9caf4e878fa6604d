import { admin, aServer } from '@slipway/devcluster/testing/a-server';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import { expect, test } from 'vitest';
import { createApiServer } from '../server.js';
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

test('every resource is in both forms of discovery, with its subresources by name', async () => {
  const { ask } = await aServer();
  const { body: core } = await ask('GET', '/api/v1');
  const names: string[] = core.resources.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['pods', 'pods/status', 'pods/binding', 'namespaces/finalize']));
  expect(names).toEqual([...names].sort());
  const { body } = await ask('GET', '/apis', undefined, { accept: aggregated });
  const groupNames: string[] = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(groupNames.slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io']);
  const apps = body.items[1].versions[0].resources;
  expect(apps.find(({ resource }: { resource: string }) => resource === 'deployments')).toMatchObject({
    responseKind: { group: '', version: '', kind: 'Deployment' },
    shortNames: ['deploy'],
    subresources: [
      { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
      { subresource: 'status', responseKind: { kind: 'Deployment' } },
    ],
  });
});

// path | resource | its hash in Kubernetes 1.37, none for what is not stored
const hashes: [string, string, string | undefined][] = [
  ['/api/v1', 'pods', 'xPOwRZ+Yhw8='],
  ['/apis/apps/v1', 'deployments', '8aSe+NMegvE='],
  ['/api/v1', 'events', 'r2yiGXH7wu8='],
  ['/apis/events.k8s.io/v1', 'events', 'r2yiGXH7wu8='],
  ['/apis/autoscaling/v1', 'horizontalpodautoscalers', 'qwQve8ut294='],
  ['/apis/certificates.k8s.io/v1', 'certificatesigningrequests', '95fRKMXA+00='],
  ['/apis/certificates.k8s.io/v1', 'clustertrustbundles', 'v5yhuVertL4='],
  ['/apis/resource.k8s.io/v1', 'devicetaintrules', 'i+85+TcIKpA='],
  ['/api/v1', 'bindings', undefined],
  ['/api/v1', 'componentstatuses', undefined],
  ['/apis/authentication.k8s.io/v1', 'tokenreviews', undefined],
];

test.each(hashes)('%s: the storage version of %s', async (path, resource, hash) => {
  const { ask } = await aServer();
  const { body } = await ask('GET', path);
  const found = body.resources.find(({ name }: { name: string }) => name === resource);
  expect(found.storageVersionHash).toBe(hash);
});

test('a server serves what its version has', async () => {
  const plurals = async (version: string) => {
    const api = createApiServer({ store: memoryStore(), definitions: builtInDefinitions(), version });
    const { payload } = await api.handle({ method: 'GET', path: '/apis', headers: {}, user: admin });
    const groups = payload?.kind === 'json' ? payload.json.value() : undefined;
    return (groups as { groups: { name: string }[] }).groups.map(({ name }) => name);
  };
  expect(await plurals('1.34')).toContain('resource.k8s.io');
  expect(await plurals('1.33')).not.toContain('resource.k8s.io');
});
