import { Agent, request as send } from 'node:https';
import { connect } from 'node:tls';
import { issueCertificates } from '@slipway/devcluster/issue-certificates';
import { aServer } from '@slipway/devcluster/testing/a-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpsBinding, serveHttps } from './transport/https-server.js';

let binding: HttpsBinding;
let agent: Agent;
let authority = '';

beforeAll(async () => {
  const wanted = { ca: undefined, serving: undefined, admin: undefined, names: ['127.0.0.1'], nowMs: Date.now() };
  const { ca, serving, admin } = await issueCertificates(wanted);
  authority = ca.certificate;
  const { api } = await aServer();
  binding = await serveHttps(api, {
    certificate: serving.certificate,
    key: serving.key,
    clientAuthority: ca.certificate,
  });
  agent = new Agent({ ca: authority, cert: admin.certificate, key: admin.key });
});

afterAll(async () => {
  agent.destroy();
  await binding.close(0);
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Got {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server said
  readonly body: any;
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };
const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' };
const mergePatch = { 'content-type': 'application/merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };

function ask({ method = 'POST', path = configMaps, headers = json, body = '' }: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = send({ port: binding.port, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ code: answer.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : text });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** `k8s\0`, and then a message that says it is longer than what comes. */
const lyingProtobuf = Buffer.concat([
  Buffer.from('k8s\0'),
  // typeMeta { apiVersion: "v1", kind: "ConfigMap" }
  Buffer.from([0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09]),
  Buffer.from('ConfigMap'),
  // raw: 2 GiB of it
  Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x07, 0x0a, 0x01]),
]);
/** A field of bytes, with its length as a number of three bytes. */
function field(number: number, bytes: Uint8Array): Buffer {
  const { length } = bytes;
  return Buffer.concat([
    Buffer.from([(number << 3) | 2, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14]),
    bytes,
  ]);
}

const manyKeys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":"v"`).join(',');
const configMap = (more: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}${more}}`;
const long = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));

// what | request | codes that are an answer | what the message says
const refused: [string, Sent, readonly number[], RegExp][] = [
  ['a protobuf that lies about its length', { headers: protobuf, body: lyingProtobuf }, [400], /./],
  ['a protobuf of nothing but noise', { headers: protobuf, body: Buffer.alloc(1_000_000, 0xff) }, [400], /./],
  [
    'a protobuf whose envelope never ends',
    { headers: protobuf, body: Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(3_000_000, 0x80)]) },
    [400],
    /./,
  ],
  [
    'a prototype in a map',
    { body: configMap(',"data":{"__proto__":{"polluted":"x"}}') },
    [400],
    /cannot unmarshal object/,
  ],
  ['a prototype in YAML', { headers: yaml, body: 'kind: ConfigMap\n__proto__: {polluted: true}\n' }, [400, 422], /./],
  ['30,000 lists in each other', { body: '['.repeat(30_000) }, [400], /depth/],
  [
    '30,000 lists in each other, closed',
    { body: configMap(`,"data":${'['.repeat(30_000)}${']'.repeat(30_000)}`) },
    [400],
    /depth/,
  ],
  ['30,000 lists in YAML', { headers: yaml, body: '['.repeat(30_000) }, [400], /./],
  ['3 MiB of an object that begins', { body: long('{"a":', 3_145_000) }, [400], /depth/],
  ['3 MiB of list', { body: `[${long('1,', 3_000_000)}1]` }, [400], /exceeded max number of values/],
  ['an object that ends in the middle', { body: '{"kind":"ConfigMap"' }, [400], /unexpected end/],
  ['bytes that are no UTF-8', { body: Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]) }, [400], /UTF-8/],
  [
    'a key that comes twice, where that is an error',
    { path: `${configMaps}?fieldValidation=Strict`, body: configMap(',"data":{"a":"1","a":"2"}') },
    [400],
    /duplicate field "data.a"/,
  ],
  ['aliases that grow', { headers: yaml, body: aliases() }, [400], /./],
  ['an address of 60 KB', { method: 'GET', path: `/${'a'.repeat(60_000)}` }, [404], /./],
  [
    'an address larger than all headers may be',
    { method: 'GET', path: `/${'a'.repeat(70_000)}` },
    [431],
    /larger than 65536 bytes/,
  ],
  ['headers of 70 KB', { method: 'GET', headers: { 'x-flood': 'a'.repeat(70_000) } }, [431], /larger than 65536 bytes/],
  [
    '60 KB of groups to impersonate',
    { method: 'GET', headers: { 'impersonate-group': 'a,'.repeat(30_000) } },
    [400],
    /without impersonating a user name/,
  ],
  [
    'a label selector of 60 KB',
    { method: 'GET', path: `${configMaps}?labelSelector=${'!'.repeat(60_000)}` },
    [400],
    /./,
  ],
  [
    'a field selector of 60 KB',
    { method: 'GET', path: `${configMaps}?fieldSelector=${'a'.repeat(60_000)}` },
    [400],
    /./,
  ],
  [
    'a page that begins nowhere',
    { method: 'GET', path: `${configMaps}?continue=${'A'.repeat(50_000)}` },
    [400],
    /continue/,
  ],
  [
    '20,000 parameters that mean nothing',
    { method: 'GET', path: `${configMaps}?${'a&'.repeat(20_000)}limit=x` },
    [400],
    /./,
  ],
  [
    'a body larger than may be',
    { body: configMap(`,"data":{"a":"${'x'.repeat(3_200_000)}"}`) },
    [413],
    /limit is 3145728/,
  ],
  ['a type of body there is not', { headers: { 'content-type': 'text/plain' }, body: 'x' }, [415], /unknown format/],
  [
    '10,001 operations in a JSON patch',
    {
      method: 'PATCH',
      path: `${configMaps}/target`,
      headers: jsonPatch,
      body: `[${Array(10_001).fill('{"op":"test","path":"/kind","value":"ConfigMap"}').join(',')}]`,
    },
    [413, 422],
    /10000/,
  ],
  [
    'a JSON patch of a prototype',
    {
      method: 'PATCH',
      path: `${configMaps}/target`,
      headers: jsonPatch,
      body: '[{"op":"add","path":"/__proto__/polluted","value":true}]',
    },
    [400, 422],
    /./,
  ],
  [
    'a merge patch of a prototype',
    {
      method: 'PATCH',
      path: `${configMaps}/target`,
      headers: mergePatch,
      body: '{"data":{"__proto__":{"polluted":true}}}',
    },
    [422],
    /cannot unmarshal object/,
  ],
  [
    'a strategic patch of a prototype',
    {
      method: 'PATCH',
      path: `${configMaps}/target`,
      headers: strategic,
      body: '{"metadata":{"annotations":{"__proto__":{"polluted":true}}}}',
    },
    [400, 422],
    /unrecognized type: string/,
  ],
  [
    '90,000 annotations',
    { body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","annotations":{${manyKeys(90_000)}}}}` },
    [422],
    /./,
  ],
  ['more values than are read', { body: configMap(`,"data":{${manyKeys(100_001)}}`) }, [400], /number of values/],
  [
    '90,000 labels, none of them right',
    { body: configMap(`,"metadata":{"name":"x","labels":{${manyKeys(90_000).replaceAll('"v"', '"-"')}}}`) },
    [422],
    /metadata.labels: Invalid value/,
  ],
  ['a number of 3 MB', { body: `{"a":${'9'.repeat(3_000_000)}}` }, [400, 422], /./],
  ['3 MB of YAML comments', { headers: yaml, body: '#\n'.repeat(1_500_000) }, [400], /more than 100000/],
  ['3 MB of a YAML list', { headers: yaml, body: `a: [${long('1,', 3_000_000)}1]` }, [400], /more than 100000/],
  [
    'a protobuf of a million fields',
    { headers: protobuf, body: Buffer.concat([Buffer.from('k8s\0'), field(2, Buffer.alloc(2_000_000, '\x12\0'))]) },
    [400],
    /number of values/,
  ],
  [
    'a JSON patch whose path has a million steps',
    {
      method: 'PATCH',
      path: `${configMaps}/target`,
      headers: jsonPatch,
      body: `[{"op":"remove","path":"${long('/a', 2_000_000)}"}]`,
    },
    [422],
    /./,
  ],
  [
    'a role that nobody could enumerate',
    {
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      headers: { ...json, 'impersonate-user': 'jane' },
      body: wideRole(),
    },
    [403],
    /forbidden/,
  ],
  [
    '90,000 rules without verbs',
    {
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      body: `{"metadata":{"name":"x"},"rules":[${Array(90_000).fill('{}').join(',')}]}`,
    },
    [422],
    /rules\[0\]\.apiGroups: Required value/,
  ],
];

test.each(refused)('%s is answered, and nobody is the worse for it', async (_what, sent, codes, says) => {
  await ask({ body: configMap(',"metadata":{"name":"target"}') });
  const { code, body } = await ask(sent);
  expect(codes, JSON.stringify(body).slice(0, 300)).toContain(code);
  // Paths that nothing is served at get the list of those there are.
  if (code !== 404) expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code });
  if (code !== 404) expect(body.message).toMatch(says);
  expect(JSON.stringify(body).length).toBeLessThan(400_000);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect((await ask({ method: 'GET', path: '/readyz' })).code).toBe(200);
});

test('a key that comes twice keeps the last value, and is warned of', async () => {
  const { code, body } = await ask({
    body: '{"kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}',
  });
  expect([code, body.data]).toEqual([201, { a: '2' }]);
});

test('what is no HTTP gets an answer all the same', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect({ port: binding.port, host: '127.0.0.1', ca: authority });
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.write('HELO there\r\n\r\n');
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"reason":"BadRequest"');
});

/** Nine lists, each of nine of the one before. */
function aliases(): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
  for (let level = 1; level < 9; level++) {
    lines.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(',')}]`,
    );
  }
  return lines.join('\n');
}

function wideRole(): string {
  const many = Array.from({ length: 20_000 }, (_, index) => `x${index}`);
  const rule = { verbs: many, apiGroups: many, resources: many, resourceNames: many };
  return JSON.stringify({ kind: 'ClusterRole', metadata: { name: 'x' }, rules: [rule] });
}
