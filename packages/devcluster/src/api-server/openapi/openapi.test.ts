import { expect, test } from 'vitest';
import { aServer } from '../testing/a-server.js';

test('every document of the index is whole: what it refers to is in it', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3')).body;
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1']));
  for (const { serverRelativeURL } of Object.values(paths) as { serverRelativeURL: string }[]) {
    const { status, headers, body } = await ask('GET', serverRelativeURL);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'public, immutable' });
    const references = new Set(JSON.stringify(body).match(/#\/components\/schemas\/[^"]+/g));
    const missing = [...references].filter(
      (name) => !(name.slice('#/components/schemas/'.length) in body.components.schemas),
    );
    expect(missing).toEqual([]);
  }
});

test('writes say that they validate fields, and patches offer no strategic merge', async () => {
  const { ask } = await aServer();
  const { paths } = (await ask('GET', '/openapi/v3/apis/apps/v1')).body;
  const { patch, put } = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'];
  for (const operation of [patch, put]) {
    const names = operation.parameters.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation']));
    expect(operation['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
  }
  expect(Object.keys(patch.requestBody.content)).toEqual([
    'application/json-patch+json',
    'application/merge-patch+json',
  ]);
});

test('an old address leads to the new one when the definitions changed', async () => {
  const { api, ask } = await aServer();
  const address = async () => (await ask('GET', '/openapi/v3')).body.paths['api/v1'].serverRelativeURL;
  const before = await address();
  api.definitions.replace('', 'configmaps', []);
  const after = await address();
  expect(after).not.toBe(before);
  expect(await ask('GET', before)).toMatchObject({ status: 301, headers: { location: after } });
});
