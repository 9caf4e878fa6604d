import { replyOf } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { memoryStore } from '@slipway/object-store/memory-store';
import { expect, test } from 'vitest';
import { DefinitionRegistry } from '../registry/definition-registry.js';
import { createApiServer } from '../server.js';
import { customResourceDefinitions } from './definition-kind.js';
import type { Version } from './definition-object.js';
import { definitionController } from './establish.js';
import { aDefinition, aVersion } from './testing/a-definition.js';

const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const alphas = (version: string) => `/apis/lab.example.dev/${version}/namespaces/default/alphas`;

/** A version with fields of its own beside `a`, which all have. */
function version(name: string, own: string, change: Partial<Version> = {}): Version {
  const text = { type: 'string' };
  const properties = { a: text, [own]: text, [`${own}Default`]: { ...text, default: name } };
  const spec = { type: 'object', properties };
  return aVersion({
    name,
    storage: false,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    ...change,
  });
}

const v1 = version('v1', 'one', { storage: true });
const v2 = version('v2', 'two');

async function start(versions: readonly Version[]) {
  const clock = new ManualClock();
  const store = memoryStore({ clock });
  const registry = new DefinitionRegistry([customResourceDefinitions]);
  definitionController({ store, registry, clock });
  const api = createApiServer({ store, definitions: registry, clock });
  const user = { name: 'admin', groups: ['system:masters'] };
  const send = async (method: string, path: string, body?: unknown, type = 'application/merge-patch+json') => {
    const headers: Record<string, string> = method === 'PATCH' ? { 'content-type': type } : {};
    const answer = await api.handle({
      method,
      path,
      headers,
      user,
      ...(body === undefined ? {} : { body: { value: body } }),
    });
    await clock.advance(10);
    return replyOf(answer);
  };
  expect((await send('POST', crd, aDefinition({ versions }))).status).toBe(201);
  const change = (next: readonly Version[]) =>
    send('PATCH', `${crd}/alphas.lab.example.dev`, { spec: { versions: next } });
  return { api, store, user, send, change };
}

const anAlpha = (at: string, spec: Record<string, string>): KubeObject => ({
  apiVersion: `lab.example.dev/${at}`,
  kind: 'Alpha',
  metadata: { name: 'x' },
  spec,
});

test('every version shows what it has, with the defaults of the version that is stored', async () => {
  const { send, store } = await start([v1, v2]);
  const made = await send('POST', alphas('v2'), anAlpha('v2', { a: 'a', two: 'lost', one: 'unknown' }));
  expect(made.warnings).toEqual(['unknown field "spec.one"']);
  expect(made.body.spec).toEqual({ a: 'a' });
  const refused = await send('POST', alphas('v2'), { ...anAlpha('v2', { a: 5 as never, nope: 'x' }) });
  expect([refused.status, refused.warnings]).toEqual([422, ['unknown field "spec.nope"']]);
  const elsewhere = await send('PATCH', `${alphas('v2')}/x`, { apiVersion: 'lab.example.dev/v9' });
  expect([elsewhere.status, elsewhere.warnings]).toEqual([422, ['unknown field "spec"']]);
  expect((await send('GET', `${alphas('v1')}/x`)).body).toMatchObject({
    apiVersion: 'lab.example.dev/v1',
    spec: { a: 'a', oneDefault: 'v1' },
  });
  expect((await send('GET', alphas('v2'))).body.items[0]).toMatchObject({
    apiVersion: 'lab.example.dev/v2',
    spec: { a: 'a' },
  });
  expect(store.get('alphas.lab.example.dev', 'default', 'x')?.object).toMatchObject({
    apiVersion: 'lab.example.dev/v1',
  });
});

test('a watch of each version hears of every write in its own', async () => {
  const { api, send, user } = await start([v1, v2]);
  const heard: string[] = [];
  for (const at of ['v1', 'v2']) {
    const answer = await api.handle({ method: 'GET', path: `${alphas(at)}?watch=true`, headers: {}, user });
    if (answer.payload?.kind !== 'watch') throw new Error('no watch');
    answer.payload.open({
      event(frame) {
        const { apiVersion, spec } = frame.object() as KubeObject;
        heard.push(`${frame.type} ${apiVersion} ${Object.keys(spec).sort()}`);
      },
      end: () => {},
    });
  }
  await send('POST', alphas('v1'), anAlpha('v1', { a: 'a', one: '1' }));
  await send('PATCH', `${alphas('v2')}/x`, { spec: { a: 'b' } });
  expect(heard.sort()).toEqual([
    'ADDED lab.example.dev/v1 a,one,oneDefault',
    'ADDED lab.example.dev/v2 a',
    'MODIFIED lab.example.dev/v1 a,oneDefault',
    'MODIFIED lab.example.dev/v2 a',
  ]);
});

test('objects outlive a change of the storage version: they are read by the one they were stored at', async () => {
  const { send, change, store } = await start([v1, v2]);
  await send('POST', alphas('v1'), anAlpha('v1', { a: 'a', one: '1' }));
  const moved = await change([
    { ...v1, storage: false },
    { ...v2, storage: true },
  ]);
  expect(moved.body.status.storedVersions).toEqual(['v1', 'v2']);
  expect((await send('GET', `${alphas('v1')}/x`)).body.spec).toEqual({ a: 'a', one: '1', oneDefault: 'v1' });
  expect((await send('GET', `${alphas('v2')}/x`)).body.spec).toEqual({ a: 'a' });
  // Whatever writes it, also without a change of its own, stores it anew.
  const stored = () => store.get('alphas.lab.example.dev', 'default', 'x')?.object;
  const { resourceVersion } = (await send('PATCH', `${alphas('v2')}/x`, {})).body.metadata;
  expect(stored()).toMatchObject({ apiVersion: 'lab.example.dev/v2', metadata: { resourceVersion }, spec: { a: 'a' } });
  await send('PATCH', `${alphas('v2')}/x`, {});
  expect(stored()?.metadata.resourceVersion).toBe(resourceVersion);
});

test('a version goes only after nothing can be stored at it', async () => {
  const { send, change } = await start([v1, v2]);
  await change([
    { ...v1, storage: false },
    { ...v2, storage: true },
  ]);
  const early = await change([{ ...v2, storage: true }]);
  expect(early.body.message).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions');
  const status = `${crd}/alphas.lab.example.dev/status`;
  expect((await send('PATCH', status, { status: { storedVersions: ['v2'] } })).status).toBe(200);
  expect((await change([{ ...v2, storage: true }])).status).toBe(200);
  expect((await send('GET', `${alphas('v1')}/x`)).status).toBe(404);
});

test('a version that is not served still owns what was applied at it', async () => {
  const [old, next] = [aVersion(), aVersion({ name: 'v2', storage: false })];
  const { send, change } = await start([old, next]);
  const apply = (at: string, manager: string, spec: Record<string, string>) =>
    send('PATCH', `${alphas(at)}/x?fieldManager=${manager}`, anAlpha(at, spec), 'application/apply-patch+yaml');
  expect((await apply('v2', 'two', { a: 'a' })).status).toBe(201);
  await change([old, { ...next, served: false }]);
  expect((await send('GET', `${alphas('v2')}/x`)).status).toBe(404);
  const refused = await apply('v1', 'one', { a: 'b' });
  expect(refused.body.message).toBe('Apply failed with 1 conflict: conflict with "two": .spec.a');
});

test.for(['v1', 'v2'])('a dry run in %s is answered as the write is, with defaults of what is stored', async (at) => {
  const status = { type: 'object', default: { ready: false }, properties: { ready: { type: 'boolean' } } };
  const withStatus = (of: Version): Version => {
    const { properties } = of.schema?.openAPIV3Schema ?? {};
    const schema = { openAPIV3Schema: { type: 'object', properties: { ...properties, status } } };
    return { ...of, schema, subresources: { status: {} } };
  };
  const { send } = await start([v1, v2].map(withStatus));
  const path = `${alphas(at)}/x`;
  const applied = { ...anAlpha(at, { a: 'applied' }), metadata: { name: 'x' } };
  const writes: [string, string, unknown, string?][] = [
    ['POST', alphas(at), anAlpha(at, { a: 'a', one: 'one', two: 'two' })],
    ['PATCH', path, { spec: { a: 'b', one: 'other', two: 'other' } }],
    ['PATCH', `${path}/status`, { status: { ready: true } }],
    ['PATCH', path, applied, 'application/apply-patch+yaml'],
    ['PUT', path, { a: 'c', one: 'last', two: 'last' }],
  ];
  const seen = ({ body }: { body: KubeObject }) => [body.spec, body.status];
  for (const [method, where, change, type] of writes) {
    const { resourceVersion } = (await send('GET', path)).body.metadata ?? {};
    const body = method === 'PUT' ? { ...applied, spec: change, metadata: { name: 'x', resourceVersion } } : change;
    const query = type?.includes('apply') ? '?fieldManager=me&force=true' : '?';
    const dry = await send(method, `${where}${query}&dryRun=All`, structuredClone(body), type);
    const wet = await send(method, `${where}${query}`, structuredClone(body), type);
    expect(dry.status, `${method} ${where}`).toBe(wet.status);
    expect(wet.status).toBeLessThan(300);
    expect(seen(dry), `${method} ${where}`).toEqual(seen(wet));
  }
});
