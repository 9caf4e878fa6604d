import { admin, replyOf } from '@slipway/devcluster/testing/a-server';
import { memoryStore } from '@slipway/object-store/memory-store';
import { expect, test } from 'vitest';
import { customDefinitions } from '../crd/custom-definition.js';
import { customResourceDefinitions } from '../crd/definition-kind.js';
import { aDefinition, aVersion } from '../crd/testing/a-definition.js';
import { createApiServer } from '../server.js';

const path = '/apis/lab.example.dev/v1/namespaces/default/alphas';

async function anAlpha(flags: Readonly<Record<string, string>> = {}) {
  const names = { plural: 'alphas', singular: 'alpha', kind: 'Alpha', listKind: 'AlphaList' };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const spec = { type: 'object', properties: { replicas: { type: 'integer' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const settled = aDefinition({ names, versions: [aVersion({ schema, subresources: { scale } })] });
  const alphas = customDefinitions({ ...settled, status: { ...settled.status, acceptedNames: names } });
  const definitions = [customResourceDefinitions, ...alphas];
  const api = createApiServer({ store: memoryStore(), definitions, flags: () => flags });
  const send = async (method: string, to: string, body: object) =>
    replyOf(await api.handle({ method, path: to, headers: {}, user: admin, body: { value: body } }));
  const metadata = { name: 'a' };
  await send('POST', path, { apiVersion: 'lab.example.dev/v1', kind: 'Alpha', metadata, spec: { replicas: 1 } });
  return (scaled: object) =>
    send('PUT', `${path}/a/scale`, { kind: 'Scale', metadata, spec: { replicas: 3 }, ...scaled });
}

test('a custom resource is scaled by autoscaling/v1, and other versions are refused in the words of 1.37', async () => {
  const put = await anAlpha();
  expect((await put({ apiVersion: 'autoscaling/v1' })).body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
  for (const apiVersion of ['extensions/v1beta1', 'lab.example.dev/v1']) {
    expect((await put({ apiVersion })).body).toMatchObject({
      reason: 'BadRequest',
      message: 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
    });
  }
});

// --etcd-prefix | where keys begin
test.each([
  [{}, '/registry/'],
  [{ 'etcd-prefix': '/other' }, '/other/'],
])('what the storage says of a uid names the key, with flags %j below %s', async (flags, prefix) => {
  const put = await anAlpha(flags);
  const uid = '00000000-0000-4000-8000-000000000000';
  const { body } = await put({ apiVersion: 'autoscaling/v1', metadata: { name: 'a', uid } });
  expect(body.reason).toBe('Conflict');
  expect(body.message).toContain(`Key: ${prefix}lab.example.dev/alphas/default/a, ResourceVersion: 0`);
});
