import { admin, aServer, aWatch } from '@slipway/devcluster/testing/a-server';
import { parseJson } from '@slipway/kube';
import { expect, test } from 'vitest';
import { definitionController } from './crd/establish.js';
import { aDefinition, aVersion } from './crd/testing/a-definition.js';
import type { ApiAnswer } from './request/request.js';
import { wholeText } from './response/payloads.js';

const exact = 9007199254740993n;
const alphas = '/apis/lab.example.dev/v1/namespaces/default/alphas';

/** A server with a kind whose fields are integers; a rule of it counts with them. */
async function aServerOfIntegers() {
  const server = await aServer();
  const { api, store, clock } = server;
  definitionController({ store, registry: api.definitions, clock, onError: () => {} });
  const integer = { type: 'integer', format: 'int64' };
  const spec = {
    type: 'object',
    properties: {
      size: { ...integer, maximum: 2 ** 63 },
      set: { type: 'array', items: integer, 'x-kubernetes-list-type': 'set', maxItems: 10 },
      any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    'x-kubernetes-validations': [{ rule: 'self.size != 9007199254740992', message: 'that one is taken' }],
  } as const;
  const additionalPrinterColumns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
  const version = aVersion({
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    additionalPrinterColumns,
  });
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const made = await server.ask('POST', definitions, aDefinition({ versions: [version] }));
  expect(made.status).toBe(201);
  await clock.advance(1_000);
  const send = async (
    method: string,
    path: string,
    text = '',
    type = 'application/json',
    accept = 'application/json',
  ) => {
    const headers = { 'content-type': type, accept };
    const body = text === '' ? {} : { body: { bytes: Buffer.from(text) } };
    return exactly(await api.handle({ method, path, headers, user: admin, ...body }));
  };
  return { ...server, send };
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the server said
function exactly({ status, payload }: ApiAnswer): { status: number; body: any } {
  if (payload?.kind !== 'json') return { status, body: payload?.kind === 'text' ? payload.text : undefined };
  return { status, body: parseJson(wholeText(payload.json)) };
}

const alpha = (spec: string, name = 'a') =>
  `{"apiVersion":"lab.example.dev/v1","kind":"Alpha","metadata":{"name":"${name}"},"spec":${spec}}`;

test('integers of 64 bits come back as they were sent, whatever they were sent in', async () => {
  const { send } = await aServerOfIntegers();
  const made = await send('POST', alphas, alpha(`{"size":${exact},"any":{"deep":[-9223372036854775808]}}`));
  expect(made.body.spec).toEqual({ size: exact, any: { deep: [-9223372036854775808n] } });
  const yaml = `apiVersion: lab.example.dev/v1\nkind: Alpha\nmetadata: {name: b}\nspec: {size: ${exact}}\n`;
  expect((await send('POST', alphas, yaml, 'application/yaml')).body.spec).toEqual({ size: exact });
  const { body } = await send('GET', alphas);
  expect(body.items.map(({ spec }: { spec: { size: bigint } }) => spec.size)).toEqual([exact, exact]);
  const shown = await send('GET', `${alphas}/b`, '', undefined, 'application/yaml');
  expect(shown.body).toContain(`size: ${exact}\n`);
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect((await send('GET', `${alphas}/a`, '', undefined, table)).body.rows[0].cells).toEqual(['a', exact]);
});

test('patches and applies change what they name, to the digit', async () => {
  const { api, send } = await aServerOfIntegers();
  await send('POST', alphas, alpha(`{"size":${exact},"set":[${exact}]}`));
  const watch = await aWatch(api, `${alphas}?watch=true&resourceVersion=0`);
  const merged = await send('PATCH', `${alphas}/a`, `{"spec":{"size":${exact + 1n}}}`, 'application/merge-patch+json');
  expect(merged.body.spec).toEqual({ size: exact + 1n, set: [exact] });
  const patch = (value: bigint) =>
    `[{"op":"test","path":"/spec/size","value":${value}},{"op":"copy","from":"/spec/size","path":"/spec/set/-"}]`;
  const json = 'application/json-patch+json';
  expect((await send('PATCH', `${alphas}/a`, patch(exact), json)).status).toBe(422);
  expect((await send('PATCH', `${alphas}/a`, patch(exact + 1n), json)).body.spec.set).toEqual([exact, exact + 1n]);
  const apply = (manager: string, spec: string) =>
    send('PATCH', `${alphas}/a?fieldManager=${manager}`, alpha(spec), 'application/apply-patch+yaml');
  expect((await apply('m', `{"size":${exact + 1n},"set":[${exact + 4n}]}`)).body.spec.set).toEqual([
    exact,
    exact + 1n,
    exact + 4n,
  ]);
  const conflict = await apply('n', `{"size":${exact}}`);
  expect(conflict.body.reason).toBe('Conflict');
  expect((await apply('m', `{"size":${exact + 1n}}`)).body.spec.set).toEqual([exact, exact + 1n]);
  const sizes = watch.frames.map(({ object }) => object.spec.set.length);
  expect(sizes).toEqual([1, 1, 2, 3, 2]);
});

test('rules count with every digit, and schemas know what is too large', async () => {
  const { send } = await aServerOfIntegers();
  const taken = await send('POST', alphas, alpha('{"size":9007199254740992}'));
  expect(taken.body.message).toContain('that one is taken');
  expect((await send('POST', alphas, alpha('{"size":9007199254740993}'))).status).toBe(201);
  const twice = await send('POST', alphas, alpha(`{"size":1,"set":[${exact},${exact}]}`, 'b'));
  expect(twice.body.message).toContain(`Duplicate value: ${exact}`);
  const beyond = await send('POST', alphas, alpha('{"size":9223372036854775808}', 'c'));
  expect(beyond.status).toBe(422);
});

test('built-in kinds refuse integers that they would not keep', async () => {
  const { send } = await aServerOfIntegers();
  const pods = '/api/v1/namespaces/default/pods';
  const pod = (seconds: string) =>
    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"activeDeadlineSeconds":${seconds},"containers":[{"name":"c","image":"i"}]}}`;
  const refused = await send('POST', pods, pod(String(exact)));
  expect(refused.status).toBe(400);
  expect(refused.body.message).toContain(
    `the number ${exact} at spec.activeDeadlineSeconds is beyond 2^53, up to which this server is exact there`,
  );
  expect((await send('POST', pods, pod('9007199254740991'))).status).toBe(422);
  expect((await send('POST', pods, pod('60'))).status).toBe(201);
  // A field that pods do not have is none that must be kept.
  const patched = await send('PATCH', `${pods}/p`, `{"spec":{"size":${exact}}}`, 'application/merge-patch+json');
  expect(patched.status).toBe(200);
});
