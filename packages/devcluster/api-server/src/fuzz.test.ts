import { admin, replyOf } from '@slipway/devcluster/testing/a-server';
import { toYaml } from '@slipway/safe-yaml';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { aServerOfCustomKinds, definitionPath } from './testing/custom-kinds-server.js';
import { customObject, evenDefinition, oddText, oddVariant, sentObjects } from './testing/odd-requests.js';

/** More of them by night: `SLIPWAY_FUZZ_RUNS=20000`. */
const numRuns = Number(process.env.SLIPWAY_FUZZ_RUNS ?? 100);

const { api, clock } = await aServerOfCustomKinds();
const evens = '/apis/example.dev/v1/namespaces/default/evens';
const objects: readonly (readonly [string, object])[] = [...sentObjects, [evens, customObject]];

beforeAll(async () => {
  const make = async (path: string, object: object) => {
    const body = { bytes: encode(JSON.stringify(object)) };
    const answer = await api.handle({ method: 'POST', path, headers: {}, user: admin, body });
    expect((await replyOf(answer)).body).toHaveProperty('metadata.uid');
    // Definitions are established a moment later.
    await clock.advance(10);
  };
  await make(definitionPath, evenDefinition());
  for (const [path, object] of objects) await make(path, object);
});

const encode = (text: string) => new TextEncoder().encode(text);
const sent = fc.constantFrom(...objects);
const oddObject = sent.chain(([path, object]) => fc.tuple(fc.constant(path), oddVariant(object)));
const objectPath = (path: string) =>
  `${path}/${path.endsWith('customresourcedefinitions') ? 'odds.example.dev' : 'odd'}`;

/** Whatever is sent, the answer is a value or says what the sender did wrong: nothing of the server's own fails. */
async function requireAnswer(method: string, path: string, type?: string, body?: Uint8Array): Promise<void> {
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  const answer = await api.handle({
    method,
    path,
    headers,
    user: admin,
    ...(body && { body: { bytes: body } }),
  });
  if (answer.status < 500) return;
  const said = answer.payload?.kind === 'json' ? String(answer.payload.json.text()) : '';
  // A real server answers some patches and what etcd does not take with a 500 as well; these say why.
  expect(said).not.toContain('Internal error occurred');
}

test('any object that is not quite one is stored or refused', { timeout: 0 }, async () => {
  const validation = fc.constantFrom('', '?fieldValidation=Strict', '?dryRun=All', '?fieldValidation=Ignore');
  await fc.assert(
    fc.asyncProperty(oddObject, validation, fc.boolean(), async ([path, object], query, isUpdate) => {
      const body = encode(JSON.stringify(object));
      if (isUpdate) await requireAnswer('PUT', `${objectPath(path)}${query}`, 'application/json', body);
      else await requireAnswer('POST', `${path}${query}`, 'application/json', body);
    }),
    { numRuns },
  );
});

test('any object as a patch changes something or is refused', { timeout: 0 }, async () => {
  const type = fc.constantFrom('merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml');
  await fc.assert(
    fc.asyncProperty(oddObject, type, fc.boolean(), async ([path, object], patch, onStatus) => {
      const query = patch.startsWith('apply') ? '?fieldManager=fuzz&force=true&dryRun=All' : '?dryRun=All';
      const at = `${objectPath(path)}${onStatus ? '/status' : ''}${query}`;
      await requireAnswer('PATCH', at, `application/${patch}`, encode(JSON.stringify(object)));
    }),
    { numRuns },
  );
});

test('any list of operations is applied or refused', { timeout: 0 }, async () => {
  const key = fc.oneof(
    fc.constantFrom('spec', 'metadata', 'containers', '0', '-', '-1', 'labels', '', '~1', '~', 'name'),
    fc.string(),
  );
  const pointer = fc.array(key, { maxLength: 5 }).map((keys) => keys.map((one) => `/${one}`).join(''));
  const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'odd');
  const operation = fc.record({ op, path: pointer, from: pointer, value: fc.jsonValue() }, { requiredKeys: ['op'] });
  const operations = fc.oneof(fc.array(operation, { maxLength: 5 }), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(sent, operations, async ([path], patch) => {
      const body = encode(JSON.stringify(patch));
      await requireAnswer('PATCH', `${objectPath(path)}?dryRun=All`, 'application/json-patch+json', body);
    }),
    { numRuns },
  );
});

test('any text as JSON or YAML is read or refused', { timeout: 0 }, async () => {
  const text = sent.chain(([path, object]) => {
    const yaml = oddText(toYaml(object)).map((one) => [path, 'application/yaml', one] as const);
    return fc.oneof(
      yaml,
      oddText(JSON.stringify(object)).map((one) => [path, 'application/json', one] as const),
    );
  });
  await fc.assert(
    fc.asyncProperty(text, async ([path, type, one]) => await requireAnswer('POST', path, type, encode(one))),
    { numRuns },
  );
});

test('any ownership of fields is believed or ignored', { timeout: 0 }, async () => {
  const entry = {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:spec': { 'f:ports': { '.': {}, 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
      'f:metadata': { 'f:finalizers': { 'v:"example.dev/f"': {}, 'i:0': {} } },
    },
  };
  const element = fc.oneof(
    fc.string(),
    fc.constantFrom('f:', 'k:', 'k:{}', 'k:[1]', 'v:', 'v:{', 'i:x', 'i:-1', '.', 'x:y', 'k:{"port":null}'),
  );
  const fields = fc.dictionary(element, fc.oneof(fc.constant({}), fc.dictionary(element, fc.jsonValue())));
  const entries = fc.oneof(
    oddVariant([entry, entry]),
    fields.map((fieldsV1) => [{ ...entry, fieldsV1 }]),
  );
  const service = sentObjects.find(([path]) => path.endsWith('/services'));
  const [path, object] = service ?? ['', {}];
  await fc.assert(
    fc.asyncProperty(entries, fc.boolean(), async (managedFields, isApply) => {
      const owned = { ...object, metadata: { name: 'odd', managedFields } };
      await requireAnswer('PUT', objectPath(path), 'application/json', encode(JSON.stringify(owned)));
      if (!isApply) return;
      const applied = encode(JSON.stringify(object));
      await requireAnswer('PATCH', `${objectPath(path)}?fieldManager=fuzz`, 'application/apply-patch+yaml', applied);
    }),
    { numRuns },
  );
});

test('any query is understood or refused', { timeout: 0 }, async () => {
  const name = fc
    .constantFrom(
      'labelSelector fieldSelector continue limit resourceVersion resourceVersionMatch timeoutSeconds'.split(' '),
    )
    .chain((names) => fc.constantFrom(...names));
  const selector = fc
    .array(
      fc.constantFrom(
        'a',
        'b.c/d',
        '=',
        '==',
        '!=',
        ' in ',
        ' notin ',
        '(',
        ')',
        ',',
        '!',
        '>',
        '<',
        '1',
        'metadata.name',
        'spec.nodeName',
      ),
      { maxLength: 9 },
    )
    .map((words) => words.join(''));
  const token = oddText('{"v":"meta.k8s.io/v1","rv":3,"start":"/a\\u0000"}').map((one) =>
    Buffer.from(one).toString('base64url'),
  );
  const value = fc.oneof(
    selector,
    token,
    fc.string(),
    fc.constantFrom('0', '-1', '1e9', '99999999999999999999', 'Exact'),
  );
  const query = fc.array(fc.tuple(name, value), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sent, query, async ([path], pairs) => {
      const words = pairs.map(([key, one]) => `${key}=${encodeURIComponent(Buffer.from(one).toString())}`);
      await requireAnswer('GET', `${path}?${words.join('&')}`);
    }),
    { numRuns },
  );
});
