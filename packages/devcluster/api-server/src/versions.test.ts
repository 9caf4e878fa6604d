import { minorOf, supportedVersions } from '@slipway/api-machinery/schema/supported-versions';
import { aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

type Fields = Record<string, unknown>;

const servers = new Map<string, Awaited<ReturnType<typeof aServer>>['ask']>();
for (const version of supportedVersions) {
  servers.set(version, (await aServer(undefined, undefined, undefined, version)).ask);
}

async function ask(version: string, method: string, path: string, body?: object) {
  return (await servers.get(version)?.(method, path, body)) as { status: number; body: Fields };
}

/** What becomes of a field: refused when it is unknown, otherwise its value in the created object. */
async function created(version: string, path: string, field: string, body: object): Promise<unknown> {
  const answer = await ask(version, 'POST', `${path}?fieldValidation=Strict&dryRun=All`, body);
  if (answer.status === 400) return 'unknown';
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return field.split('.').reduce<unknown>((at, step) => (at as Fields | undefined)?.[step], answer.body);
}

const container = { name: 'main', image: 'image' };
const driver = (spec: object) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: 'd' },
  spec,
});
const pod = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [container], automountServiceAccountToken: false, ...spec },
});
const labels = { app: 'a' };
const set = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 's' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
};
const drivers = '/apis/storage.k8s.io/v1/csidrivers';
const pods = '/api/v1/namespaces/default/pods';
const sets = '/apis/apps/v1/namespaces/default/statefulsets';
const prevent = 'spec.preventPodSchedulingIfMissing';
const inSecrets = 'spec.serviceAccountTokenInSecrets';
const responders = { evictionResponders: [{ name: 'example.com/r' }] };

// field | where | body | what becomes of it in 1.34, 1.35, 1.36 and 1.37
test.each<[string, string, object, readonly unknown[]]>([
  [prevent, drivers, driver({ preventPodSchedulingIfMissing: true }), ['unknown', 'unknown', undefined, true]],
  [prevent, drivers, driver({}), [undefined, undefined, undefined, false]],
  [
    inSecrets,
    drivers,
    driver({ serviceAccountTokenInSecrets: true, tokenRequests: [{ audience: 'a' }] }),
    ['unknown', true, true, true],
  ],
  ['spec.evictionResponders', pods, pod(responders), ['unknown', 'unknown', 'unknown', undefined]],
  ['spec.updateStrategy.rollingUpdate.maxUnavailable', sets, set, [undefined, undefined, undefined, 1]],
])('%s of %s', async (field, path, body, expected) => {
  const found = await Promise.all(supportedVersions.map((version) => created(version, path, field, body)));
  expect(found).toEqual(expected);
});

test.each(supportedVersions)('a server of %s publishes the fields of its version', async (version) => {
  const { body } = await ask(version, 'GET', '/openapi/v3/apis/storage.k8s.io/v1');
  const { schemas } = body.components as { schemas: Record<string, { properties: Fields }> };
  const has = (field: string) => field in (schemas['io.k8s.api.storage.v1.CSIDriverSpec']?.properties ?? {});
  const minor = minorOf(version);
  expect({ secrets: has('serviceAccountTokenInSecrets'), prevent: has('preventPodSchedulingIfMissing') }).toEqual({
    secrets: minor >= 35,
    prevent: minor >= 36,
  });
});
