import { admin, aWatch, replyOf } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aWebhookServer, type WebhookServer } from '../admission/webhooks/testing/a-webhook-server.js';
import { aDefinition, aVersion } from '../crd/testing/a-definition.js';
import { aServerOfCustomKinds, definitionPath } from '../testing/custom-kinds-server.js';

const alphas = (version: string) => `/apis/lab.example.dev/${version}/namespaces/default/alphas`;
const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };

// biome-ignore lint/suspicious/noExplicitAny: what a webhook is asked
type Request = any;

let hook: WebhookServer;
beforeAll(async () => {
  hook = await aWebhookServer();
});
afterAll(() => hook.close());

/** v1 has `spec.first` and v2 has `spec.second`: the same word, written backwards. */
function version(name: string, field: string, storage: boolean) {
  const properties = { [field]: { type: 'string' }, fixed: { type: 'string', default: name } };
  return aVersion({
    name,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
    subresources: { status: {} },
  });
}

const backwards = (word: string) => [...word].reverse().join('');

function converted(object: KubeObject, to: string): KubeObject {
  const { first, second, ...rest } = object.spec as Record<string, string>;
  const word = backwards(first ?? second ?? '');
  const spec = { ...rest, [to.endsWith('v1') ? 'first' : 'second']: word, unknown: true };
  return { ...object, apiVersion: to, spec };
}

const answer = ({ uid, objects, desiredAPIVersion }: Request) => ({
  uid,
  result: { status: 'Success' },
  convertedObjects: objects.map((object: KubeObject) => converted(object, desiredAPIVersion)),
});

const wellBehaved = (request: Request) => ({ body: { ...review, response: answer(request) } });

async function start() {
  hook.answer = wellBehaved;
  hook.asked.length = 0;
  const { api, clock, store } = await aServerOfCustomKinds();
  const ask = (method: string, path: string, body?: unknown) =>
    send(method, path, body, method === 'PATCH' ? 'application/merge-patch+json' : undefined);
  const send = async (method: string, path: string, body?: unknown, type?: string) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const sent = { method, path, headers, user: admin, ...(body === undefined ? {} : { body: { value: body } }) };
    return replyOf(await api.handle(sent));
  };
  const conversion = {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: hook.url, caBundle: hook.caBundle } },
  };
  const versions = [version('v1', 'first', true), version('v2', 'second', false)];
  expect((await ask('POST', definitionPath, aDefinition({ versions, conversion }))).status).toBe(201);
  await clock.advance(10);
  return { api, store, ask, send };
}

const anAlpha = (at: string, name: string, spec: Record<string, string>): KubeObject => ({
  apiVersion: `lab.example.dev/${at}`,
  kind: 'Alpha',
  metadata: { name },
  spec,
});

test('an object is stored in one version, and every read converts it to its own', async () => {
  const { ask, store } = await start();
  const created = await ask('POST', alphas('v2'), anAlpha('v2', 'x', { second: 'abc' }));
  expect([created.status, created.body.apiVersion, created.body.spec]).toEqual([
    201,
    'lab.example.dev/v2',
    { second: 'abc', fixed: 'v2' },
  ]);
  const stored = store.get('alphas.lab.example.dev', 'default', 'x')?.object;
  expect([stored?.apiVersion, stored?.spec]).toEqual(['lab.example.dev/v1', { first: 'cba', fixed: 'v2' }]);
  expect((await ask('GET', `${alphas('v1')}/x`)).body.spec).toEqual({ first: 'cba', fixed: 'v2' });
  expect((await ask('GET', alphas('v2'))).body.items[0].spec).toEqual({ second: 'abc', fixed: 'v2' });
  const patched = await ask('PATCH', `${alphas('v2')}/x`, { spec: { second: 'de' }, metadata: { labels: { a: 'b' } } });
  expect([patched.body.spec.second, patched.body.metadata.generation]).toEqual(['de', 2]);
  const dry = await ask('POST', `${alphas('v2')}?dryRun=All`, anAlpha('v2', 'dry', { second: 'fg' }));
  expect(dry.body.spec).toEqual({ second: 'fg', fixed: 'v2' });
  expect((await ask('DELETE', `${alphas('v2')}/x`)).body.status).toBe('Success');
  // As Kubernetes does it, every review has one object, with its defaults.
  expect(hook.asked.map(({ objects, path }) => [objects.length, path])).toEqual(
    hook.asked.map(() => [1, '/check?timeout=30s']),
  );
  expect(hook.asked[0]).toMatchObject({
    desiredAPIVersion: 'lab.example.dev/v1',
    objects: [{ spec: { second: 'abc', fixed: 'v2' } }],
  });
});

const word = fc.stringMatching(/^[a-z]{0,4}$/);
const write = fc.record({
  at: fc.constantFrom('v1', 'v2'),
  name: fc.constantFrom('a', 'b', 'c'),
  word,
  isDelete: fc.boolean(),
});

test('whatever is written in either version: lists, reads and watches of both versions agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 8 }), fc.nat(8), async (writes, watchedFrom) => {
      const { api, ask } = await start();
      const watches: Record<string, Awaited<ReturnType<typeof aWatch>>> = {};
      for (const [index, { at, name, word, isDelete }] of [...writes, undefined].map((one) => one ?? last).entries()) {
        if (index === Math.min(watchedFrom, writes.length)) {
          for (const which of ['v1', 'v2']) watches[which] = await aWatch(api, `${alphas(which)}?watch=true`);
        }
        const field = at === 'v1' ? 'first' : 'second';
        if (isDelete) await ask('DELETE', `${alphas(at)}/${name}`);
        else if ((await ask('POST', alphas(at), anAlpha(at, name, { [field]: word }))).status === 409) {
          await ask('PATCH', `${alphas(at)}/${name}`, { spec: { [field]: word } });
        }
      }
      const [ones, twos] = await Promise.all(['v1', 'v2'].map(async (at) => (await ask('GET', alphas(at))).body.items));
      expect(twos.map(({ spec }: KubeObject) => spec.second)).toEqual(
        ones.map(({ spec }: KubeObject) => backwards(spec.first)),
      );
      for (const [which, items] of [
        ['v1', ones],
        ['v2', twos],
      ] as const) {
        for (const item of items)
          expect((await ask('GET', `${alphas(which)}/${item.metadata.name}`)).body).toEqual(item);
        // The last write is seen by both; what came before it was seen before.
        await expect.poll(() => watches[which]?.frames.at(-1)?.object.metadata.name).toBe('z');
        const seen = new Map<string, KubeObject>();
        for (const { type, object } of watches[which]?.frames ?? []) {
          if (type === 'DELETED') seen.delete(object.metadata.name);
          else seen.set(object.metadata.name, object);
        }
        expect([...seen.values()].sort(byName)).toEqual(items);
        watches[which]?.close();
      }
    }),
    { numRuns: 25 },
  );
});

const last = { at: 'v2', name: 'z', word: 'end', isDelete: false };

function byName(a: KubeObject, b: KubeObject): number {
  return String(a.metadata.name) < String(b.metadata.name) ? -1 : 1;
}

type Body = { apiVersion: string; kind: string; response?: ReturnType<typeof answer> & { result?: object } };
// biome-ignore lint/suspicious/noExplicitAny: a test spoils whatever it wants
const spoiled = (spoil: (body: any) => void) => (request: Request) => {
  const body: Body = { ...review, response: answer(request) };
  spoil(body);
  return { body };
};
// biome-ignore lint/suspicious/noExplicitAny: as above
const first = (body: any) => body.response.convertedObjects[0];

// what the webhook does | what a kube-apiserver 1.37.2 says behind `conversion webhook for lab.example.dev/v1, Kind=Alpha `
const troubles: [string, WebhookServer['answer'], string | RegExp][] = [
  ['no response', spoiled((body) => delete body.response), 'failed: no response provided'],
  [
    'another uid',
    spoiled((body) => {
      body.response.uid = 'x';
    }),
    /^failed: expected response\.uid="[-0-9a-f]{36}", got "x"$/,
  ],
  [
    'a failure',
    spoiled((body) => {
      body.response.result = { status: 'Failure', message: 'I cannot' };
    }),
    'failed: I cannot',
  ],
  ['no result', spoiled((body) => delete body.response.result), "failed: response.result.status was '', not 'Success'"],
  [
    'too few objects',
    spoiled((body) => {
      body.response.convertedObjects = [];
    }),
    'returned 0 objects, expected 1',
  ],
  [
    'another version',
    spoiled((body) => {
      first(body).apiVersion = 'lab.example.dev/v7';
    }),
    'returned invalid object at index 0: invalid groupVersion (expected lab.example.dev/v2, received lab.example.dev/v7)',
  ],
  [
    'another kind',
    spoiled((body) => {
      first(body).kind = 'Bar';
    }),
    'returned invalid object at index 0: invalid kind (expected Alpha, received Bar)',
  ],
  [
    'another name',
    spoiled((body) => {
      first(body).metadata = { ...first(body).metadata, name: 'zzz' };
    }),
    'returned invalid object: must have the same name: x != zzz',
  ],
  [
    'no metadata',
    spoiled((body) => delete first(body).metadata),
    'returned invalid object: must have the same name: x != ',
  ],
  [
    'a label that is a number',
    spoiled((body) => {
      first(body).metadata = { ...first(body).metadata, labels: { a: 1 } };
    }),
    'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
  ],
  [
    'a bad label',
    spoiled((body) => {
      first(body).metadata = { ...first(body).metadata, labels: { 'a b': 'c' } };
    }),
    /^returned invalid metadata: metadata\.labels: Invalid value: "a b": name part must consist of /,
  ],
  [
    'a review of another version',
    spoiled((body) => {
      body.apiVersion = 'apiextensions.k8s.io/v1beta1';
    }),
    'failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
  ],
  [
    'an empty answer',
    () => ({ body: '' }),
    'failed: 0-length response with status code: 200 and content type: application/json',
  ],
  ['404', () => ({ body: '', status: 404 }), 'failed: the server could not find the requested resource'],
];

test.each(troubles)('a read of an object that the webhook does not convert is 500: %s', async (_, given, expected) => {
  const { ask } = await start();
  const { metadata } = (await ask('POST', alphas('v1'), anAlpha('v1', 'x', { first: 'abc' }))).body;
  hook.answer = given;
  const { status, body } = await ask('GET', `${alphas('v2')}/x`);
  const preamble =
    'StorageError: corrupt object, Code: 7, Key: /lab.example.dev/alphas/default/x, ResourceVersion: 0, ' +
    `AdditionalErrorMsg: object not decodable revision=${metadata.resourceVersion}: conversion webhook for ` +
    'lab.example.dev/v1, Kind=Alpha ';
  expect([status, body.reason]).toEqual([500, 'InternalError']);
  const [{ message }] = body.details.causes;
  expect(body.message).toBe(`Internal error occurred: ${message}`);
  expect(message.slice(0, preamble.length)).toBe(preamble);
  if (typeof expected === 'string') expect(message.slice(preamble.length)).toBe(expected);
  else expect(message.slice(preamble.length)).toMatch(expected);
  // Whoever asks for the version that is stored needs no webhook.
  expect((await ask('GET', `${alphas('v1')}/x`)).status).toBe(200);
});

test('labels and annotations are those of the webhook, and all other metadata that of the object', async () => {
  const { ask } = await start();
  await ask('POST', alphas('v1'), anAlpha('v1', 'x', { first: 'abc' }));
  hook.answer = spoiled((body) => {
    const given = { labels: { new: 'label' }, annotations: { an: 'n' }, finalizers: ['a.b/c'], generation: 77 };
    first(body).metadata = { ...first(body).metadata, ...given };
  });
  const { metadata } = (await ask('GET', `${alphas('v2')}/x`)).body;
  expect([metadata.labels, metadata.annotations, metadata.finalizers, metadata.generation]).toEqual([
    { new: 'label' },
    { an: 'n' },
    undefined,
    1,
  ]);
});

test('a write that cannot be converted for the storage is 500, and a watch ends at an event that cannot be converted', async () => {
  const { api, ask } = await start();
  await ask('POST', alphas('v1'), anAlpha('v1', 'x', { first: 'abc' }));
  const watch = await aWatch(api, `${alphas('v2')}?watch=true`);
  await expect.poll(() => watch.frames.length).toBe(1);
  hook.answer = spoiled((body) => {
    body.response.result = { status: 'Failure', message: 'I cannot' };
  });
  const refused = await ask('PATCH', `${alphas('v2')}/x`, { spec: { second: 'de' } });
  const message = 'conversion webhook for lab.example.dev/v2, Kind=Alpha failed: I cannot';
  expect([refused.status, refused.body.message]).toEqual([500, message]);
  const { body } = await ask('PATCH', `${alphas('v1')}/x`, { spec: { first: 'fg' } });
  await expect.poll(() => watch.state.ended).toBe(true);
  expect(watch.frames.map(({ object }) => object.spec.second)).toEqual(['cba']);
  const again = await ask('PATCH', `${alphas('v2')}/x`, { spec: { second: 'de' } });
  const why = 'conversion webhook for lab.example.dev/v1, Kind=Alpha failed: I cannot';
  const notDecodable = `object not decodable revision=${body.metadata.resourceVersion}: ${why}`;
  expect([again.status, again.body.reason, again.body.message]).toEqual([500, undefined, notDecodable]);
});

test('admission webhooks see an object in the version that they ask for, and their changes come back', async () => {
  const { ask } = await start();
  const client = { url: hook.url, caBundle: hook.caBundle };
  const rule = {
    apiGroups: ['lab.example.dev'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['alphas'],
  };
  const webhook = {
    name: 'a.example.com',
    clientConfig: client,
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  for (const kind of ['Mutating', 'Validating']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const object = { apiVersion, kind: `${kind}WebhookConfiguration`, metadata: { name: 'a' }, webhooks: [webhook] };
    expect((await ask('POST', path, object)).status).toBe(201);
  }
  const patch = Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/first', value: 'xyz' }])).toString('base64');
  const seen: [string, unknown, unknown][] = [];
  hook.answer = (request) => {
    if (request.objects) return wellBehaved(request);
    seen.push([request.object.apiVersion, request.object.spec.first, request.oldObject?.spec.first]);
    return {
      response: { allowed: true, ...(request.object.spec.first === 'cba' && { patch, patchType: 'JSONPatch' }) },
    };
  };
  const created = await ask('POST', alphas('v2'), anAlpha('v2', 'x', { second: 'abc' }));
  expect([created.status, created.body.spec.second]).toEqual([201, 'zyx']);
  await ask('PATCH', `${alphas('v2')}/x`, { spec: { second: 'new' } });
  expect(seen).toEqual([
    ['lab.example.dev/v1', 'cba', undefined],
    ['lab.example.dev/v1', 'xyz', undefined],
    ['lab.example.dev/v1', 'wen', 'xyz'],
    ['lab.example.dev/v1', 'wen', 'xyz'],
  ]);
});

test('the owners of fields are those of Kubernetes, whatever version each of them wrote', async () => {
  const { ask, send } = await start();
  hook.answer = (request) => {
    const objects = request.objects.map((object: KubeObject) => converted(object, request.desiredAPIVersion));
    // What a version does not have makes fields that have no owner.
    for (const { spec } of objects) delete spec.unknown;
    return { body: { ...review, response: { ...answer(request), convertedObjects: objects } } };
  };
  const ownersOf = ({ metadata }: KubeObject) =>
    (metadata.managedFields as { manager: string; apiVersion: string; fieldsV1: { 'f:spec': object } }[]).map(
      ({ manager, apiVersion, fieldsV1 }) =>
        `${manager} ${apiVersion.slice(-2)}: ${Object.keys(fieldsV1['f:spec']).filter((field) => field !== '.')}`,
    );
  await ask('POST', `${alphas('v1')}?fieldManager=me`, anAlpha('v1', 'x', { first: 'abc' }));
  const patched = await ask('PATCH', `${alphas('v2')}/x?fieldManager=me`, { spec: { second: 'x' } });
  expect(ownersOf(patched.body)).toEqual(['me v1: f:fixed', 'me v2: f:second']);
  const apply = (query: string) =>
    send(
      'PATCH',
      `${alphas('v1')}/x?fieldManager=other${query}`,
      anAlpha('v1', 'x', { first: 'y' }),
      'application/apply-patch+yaml',
    );
  expect((await apply('')).body.message).toBe(
    'Apply failed with 1 conflict: conflict with "me" using lab.example.dev/v2: .spec.second',
  );
  const applied = await apply('&force=true');
  expect([applied.body.spec, ownersOf(applied.body)]).toEqual([
    { first: 'y', fixed: 'v1' },
    ['other v1: f:first', 'me v1: f:fixed'],
  ]);
});

test('a webhook that does not listen is named in the error', async () => {
  const { ask } = await start();
  await ask('POST', alphas('v1'), anAlpha('v1', 'x', { first: 'abc' }));
  hook.close();
  const { body } = await ask('GET', `${alphas('v2')}/x`);
  expect(body.message).toMatch(
    /failed: Post "https:\/\/127\.0\.0\.1:\d+\/check\?timeout=30s": dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
  );
});
