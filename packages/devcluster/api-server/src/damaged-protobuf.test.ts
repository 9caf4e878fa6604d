import { readFileSync } from 'node:fs';
import { readEnvelope } from '@slipway/api-machinery/schema/decode-protobuf';
import { admin, aServer, replyOf } from '@slipway/devcluster/testing/a-server';
import type { KubeObject } from '@slipway/kube';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { beforeAll, expect, test } from 'vitest';

interface Sent {
  readonly command: string;
  /** What kubectl sent, in base64. */
  readonly body: string;
  readonly json: KubeObject;
}

const recorded = JSON.parse(
  readFileSync(new URL('../../api-machinery/src/schema/testdata/kubectl-bodies.json', import.meta.url), 'utf8'),
) as Sent[];
/** Of several versions of kubectl that sent the same command, the last. */
const sent = [...new Map(recorded.map((each) => [each.command, each])).values()];
const type = 'application/vnd.kubernetes.protobuf';
const server = aServer();

beforeAll(async () => {
  const { ask } = await server;
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'x' } });
});

function collectionOf({ apiVersion = '', kind = '' }: KubeObject): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const found = builtInDefinitions().find((one) => one.group === group && one.version === version && one.kind === kind);
  if (!found) throw new Error(`no definition of ${apiVersion} ${kind}`);
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${found.namespaced ? '/namespaces/default' : ''}/${found.plural}`;
}

/** Sends bytes as an object to make, which is not kept. */
async function make(path: string, bytes: Uint8Array) {
  const headers = { 'content-type': type };
  const { api } = await server;
  return replyOf(
    await api.handle({ method: 'POST', path: `${path}?dryRun=All`, headers, user: admin, body: { bytes } }),
  );
}

/** A refusal says what is wrong with what was sent; nothing of the server's own fails. */
function requireRefusal({ status, body }: Awaited<ReturnType<typeof make>>, how: string): void {
  expect([400, 404, 415, 422], `${how}: ${JSON.stringify(body)}`).toContain(status);
  expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
  expect(body.message, how).not.toBe('');
}

test.each(sent)('what kubectl $command sends, cut off at any byte, is refused', async ({ body, json }) => {
  const whole = Buffer.from(body, 'base64');
  const path = collectionOf(json);
  const { spec, data } = (await make(path, whole)).body;
  for (let length = 0; length < whole.length; length += 1) {
    const answer = await make(path, whole.subarray(0, length));
    // Behind the object come two fields that may be missing: then it is whole.
    if (answer.status === 201) expect([answer.body.spec?.replicas, answer.body.data]).toEqual([spec?.replicas, data]);
    else requireRefusal(answer, `${length} of ${whole.length} bytes`);
  }
});

test.each(sent)(
  'what kubectl $command sends, with an object that ends at any byte, is read or refused',
  async (each) => {
    const path = collectionOf(each.json);
    const { apiVersion, kind, raw } = readEnvelope(Buffer.from(each.body, 'base64'));
    for (let length = 0; length < raw.length; length += 1) {
      const answer = await make(path, envelope(apiVersion, kind, raw.subarray(0, length)));
      if (answer.status !== 201) requireRefusal(answer, `${length} of ${raw.length} bytes`);
    }
  },
);

test.each(sent)('what kubectl $command sends, with any byte another, is read or refused', async ({ body, json }) => {
  const path = collectionOf(json);
  const whole = Buffer.from(body, 'base64');
  for (let at = 0; at < whole.length; at += 1) {
    for (const bits of [0x01, 0x80]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ bits;
      const answer = await make(path, damaged);
      if (answer.status !== 201) requireRefusal(answer, `byte ${at} ^ ${bits}`);
    }
  }
});

function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const typeMeta = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, raw)]);
}

/** A field of bytes; its length as a number of two bytes. */
function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, (bytes.length & 127) | 128, bytes.length >> 7]), bytes]);
}
