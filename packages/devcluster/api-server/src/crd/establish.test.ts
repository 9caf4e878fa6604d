import type { KubeObject } from '@slipway/kube';
import { cpuMsOf, ManualClock } from '@slipway/kube/testing';
import { memoryStore } from '@slipway/object-store/memory-store';
import type { Store } from '@slipway/object-store/store';
import { expect, test } from 'vitest';
import { DefinitionRegistry } from '../registry/definition-registry.js';
import { wholeText } from '../response/payloads.js';
import { createApiServer } from '../server.js';
import { customResourceDefinitions } from './definition-kind.js';
import { type CustomResourceDefinition, conditionOf } from './definition-object.js';
import { definitionController } from './establish.js';
import { aDefinition, aSchema, aVersion } from './testing/a-definition.js';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const alphas = '/apis/lab.example.dev/v1/namespaces/default/alphas';

function start(store: Store = memoryStore({ clock: new ManualClock() })) {
  const clock = new ManualClock();
  const registry = new DefinitionRegistry([customResourceDefinitions]);
  const controller = definitionController({ store, registry, clock });
  const api = createApiServer({ store, definitions: registry, clock });
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
    const headers: Record<string, string> =
      method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const bytes = body === undefined ? undefined : { bytes: Buffer.from(JSON.stringify(body)) };
    const answer = await api.handle({
      method,
      path,
      headers,
      user: { name: 'admin', groups: ['system:masters'] },
      body: bytes,
    });
    const text = answer.payload?.kind === 'json' ? wholeText(answer.payload.json) : '{}';
    // What follows from a write follows in the same turn of the event loop.
    await new Promise(setImmediate);
    return { status: answer.status, body: JSON.parse(text) };
  };
  return { store, registry, controller, send };
}

const anAlpha = (name: string, more: object = {}) => ({
  apiVersion: 'lab.example.dev/v1',
  kind: 'Alpha',
  metadata: { name, ...more },
  spec: { a: 'x' },
});

test('a kind is served as soon as its definition is stored', async () => {
  const { send } = start();
  expect((await send('POST', crds, aDefinition())).status).toBe(201);
  const made = await send('POST', alphas, anAlpha('one'));
  expect(made).toMatchObject({ status: 201, body: { spec: { a: 'x', b: 'bee' } } });
  const { body } = await send('GET', `${crds}/alphas.lab.example.dev`);
  expect(conditionOf(body, 'NamesAccepted')?.status).toBe('True');
  expect(conditionOf(body, 'Established')?.status).toBe('True');
  expect((body as CustomResourceDefinition).status.acceptedNames.listKind).toBe('AlphaList');
});

test('a definition of a group of the Kubernetes community says whether it is approved', async () => {
  const { send } = start();
  const definition = aDefinition({ group: 'lab.k8s.io' });
  definition.metadata.annotations = { 'api-approved.kubernetes.io': 'https://example.org/1' };
  expect((await send('POST', crds, definition)).status).toBe(201);
  const { body } = await send('GET', `${crds}/alphas.lab.k8s.io`);
  expect(conditionOf(body, 'KubernetesAPIApprovalPolicyConformant')?.status).toBe('True');
  const changed = { metadata: { annotations: { 'api-approved.kubernetes.io': 'unapproved' } } };
  expect((await send('PATCH', `${crds}/alphas.lab.k8s.io`, changed)).status).toBe(200);
  const { body: again } = await send('GET', `${crds}/alphas.lab.k8s.io`);
  expect(conditionOf(again, 'KubernetesAPIApprovalPolicyConformant')?.status).toBe('False');
});

test('a definition that goes is looked at beside the others of its group, not once for each pair of them', async () => {
  const store = memoryStore({ clock: new ManualClock() });
  const { latest } = store;
  let looks = 0;
  const { send } = start(
    Object.assign(store, {
      latest: (...args: Parameters<Store['latest']>) => {
        looks++;
        return latest(...args);
      },
    }),
  );
  const plurals = Array.from({ length: 40 }, (_, index) => `kinds${index}`);
  for (const plural of plurals) await send('POST', crds, aDefinition({ names: { plural, kind: `K${plural}` } }));
  looks = 0;
  for (const plural of plurals) {
    expect((await send('DELETE', `${crds}/${plural}.lab.example.dev`)).status).toBe(200);
  }
  expect(looks).toBeLessThan(plurals.length ** 2 * 4);
});

test('names that another definition has are not accepted until they are free', async () => {
  const { send } = start();
  await send('POST', crds, aDefinition({ names: { plural: 'alphas', kind: 'Alpha', shortNames: ['al'] } }));
  await send('POST', crds, aDefinition({ names: { plural: 'betas', kind: 'Beta', shortNames: ['al', 'be'] } }));
  const before = (await send('GET', `${crds}/betas.lab.example.dev`)).body as KubeObject & CustomResourceDefinition;
  expect(conditionOf(before, 'NamesAccepted')).toMatchObject({
    status: 'False',
    reason: 'ShortNamesConflict',
    message: '"al" is already in use',
  });
  expect((await send('GET', '/apis/lab.example.dev/v1/namespaces/default/betas')).status).toBe(404);

  await send('DELETE', `${crds}/alphas.lab.example.dev`);
  const after = (await send('GET', `${crds}/betas.lab.example.dev`)).body as CustomResourceDefinition;
  expect(conditionOf(after, 'Established')?.status).toBe('True');
});

test('a definition goes when its objects are gone', async () => {
  const { send, store } = start();
  await send('POST', crds, aDefinition());
  await send('POST', alphas, anAlpha('one'));
  await send('POST', alphas, anAlpha('held', { finalizers: ['example.dev/hold'] }));
  const deleted = await send('DELETE', `${crds}/alphas.lab.example.dev`);
  expect(deleted.body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);

  const late = await send('POST', alphas, anAlpha('late'));
  expect(late).toMatchObject({
    status: 403,
    body: {
      message:
        'alphas.lab.example.dev "late" is forbidden: create not allowed while custom resource definition is terminating',
    },
  });
  expect((await send('GET', `${alphas}/one`)).status).toBe(404);
  await send('PATCH', `${alphas}/held`, { metadata: { finalizers: null } });
  await new Promise(setImmediate);
  expect((await send('GET', `${crds}/alphas.lab.example.dev`)).status).toBe(404);
  expect(store.list('alphas.lab.example.dev', {}).entries).toEqual([]);
  expect((await send('GET', alphas)).status).toBe(404);
});

test('a definition with many objects goes as quickly', async () => {
  const { send, store } = start();
  await send('POST', crds, aDefinition());
  await Promise.all(
    Array.from({ length: 3_000 }, (_, index) => {
      const metadata = { name: `n${index}`, namespace: 'default', uid: `u${index}` };
      return store.put('alphas.lab.example.dev', { ...anAlpha(''), metadata }, undefined);
    }),
  );
  const took = await cpuMsOf(async () => {
    await send('DELETE', `${crds}/alphas.lab.example.dev`);
    while (store.list(customResourceDefinitions.storedAs, {}).entries.length > 0) await new Promise(setImmediate);
  });
  expect(store.list('alphas.lab.example.dev', {}).entries).toEqual([]);
  expect(took).toBeLessThan(5_000);
});

test('after a restart it goes on from what is stored', async () => {
  const first = start();
  await first.send('POST', crds, aDefinition());
  await first.send('POST', alphas, anAlpha('held', { finalizers: ['example.dev/hold'] }));
  await first.send('DELETE', `${crds}/alphas.lab.example.dev`);
  first.controller.close();

  const second = start(first.store);
  expect((await second.send('GET', `${alphas}/held`)).status).toBe(200);
  await second.send('PATCH', `${alphas}/held`, { metadata: { finalizers: null } });
  await new Promise(setImmediate);
  expect((await second.send('GET', `${crds}/alphas.lab.example.dev`)).status).toBe(404);
});

test('objects look as the schema of today says', async () => {
  const { send } = start();
  await send('POST', crds, aDefinition());
  await send('POST', alphas, anAlpha('one'));
  const schema = {
    ...aSchema,
    properties: { spec: { type: 'object', properties: { c: { type: 'string', default: 'sea' } } } },
  };
  await send('PATCH', `${crds}/alphas.lab.example.dev`, {
    spec: { versions: [aVersion({ schema: { openAPIV3Schema: schema } })] },
  });
  expect((await send('GET', `${alphas}/one`)).body.spec).toEqual({ c: 'sea' });
});

test('another version shows what it has too', async () => {
  const { send } = start();
  const old = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { a: { type: 'string' }, old: { type: 'string', default: 'o' } } },
    },
  };
  const versions = [
    aVersion(),
    aVersion({ name: 'v1beta1', storage: false, deprecated: true, schema: { openAPIV3Schema: old } }),
  ];
  await send('POST', crds, aDefinition({ versions }));
  await send('POST', alphas, anAlpha('one'));
  const beta = await send('GET', '/apis/lab.example.dev/v1beta1/namespaces/default/alphas/one');
  expect(beta.body).toMatchObject({ apiVersion: 'lab.example.dev/v1beta1', spec: { a: 'x' } });
  expect(Object.keys(beta.body.spec)).toEqual(['a']);
});

test('a large definition is established in several turns, and one that goes meanwhile stays away', async () => {
  const fields = Array.from({ length: 3_000 }, (_, index) => [`field${index}`, { type: 'string', maxLength: 9 }]);
  const spec = { type: 'object', properties: Object.fromEntries(fields) };
  const version = aVersion({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } });
  const { send, store } = start();
  const path = `${crds}/alphas.lab.example.dev`;
  await send('POST', crds, aDefinition({ versions: [version] }));
  let turns = 0;
  for (; !conditionOf((await send('GET', path)).body, 'Established'); turns++) expect(turns).toBeLessThan(100);
  expect(turns).toBeGreaterThan(0);
  const one = { ...anAlpha('one'), spec: { field7: 'x', unknown: 'y' } };
  expect(await send('POST', alphas, one)).toMatchObject({ status: 201, body: { spec: { field7: 'x' } } });

  await send('DELETE', `${alphas}/one`);
  const again = aDefinition({ names: { plural: 'betas', kind: 'Beta' }, versions: [version] });
  await send('POST', crds, again);
  await send('DELETE', `${crds}/betas.lab.example.dev`);
  while (store.list(customResourceDefinitions.storedAs, {}).entries.length > 1) await new Promise(setImmediate);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect((await send('GET', '/apis/lab.example.dev/v1/namespaces/default/betas')).status).toBe(404);
  expect((await send('GET', alphas)).status).toBe(200);
});
