import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { Kube, type KubeObject, silentLog } from '@slipway/kube';
import { until } from '@slipway/kube-objects/testing/until';
import { configMaps } from '@slipway/kubernetes-kinds/kinds/config-map';
import { expect, onTestFinished, test } from 'vitest';
import { registerApiServices } from './register-api-services.js';
import { admin, aServer } from './testing/a-server.js';

const path = '/apis/apiregistration.k8s.io/v1/apiservices';
const managed = 'kube-aggregator.kubernetes.io/automanaged';
const merge = { 'content-type': 'application/merge-patch+json' };
const widgets = {
  ...configMaps,
  group: 'example.com',
  plural: 'widgets',
  kind: 'Widget',
  origin: 'custom' as const,
};

async function setUp() {
  const { api, ask, clock } = await aServer();
  const kube = new Kube(inprocTransport(api, admin), { clock });
  const start = async () => {
    const registration = registerApiServices({ kube, definitions: api.definitions, log: silentLog });
    await registration.start(new AbortController().signal);
    onTestFinished(() => registration.stop?.());
    return registration;
  };
  const find = async (name: string): Promise<KubeObject | undefined> => {
    const { status, body } = await ask('GET', `${path}/${name}`);
    return status === 200 ? body : undefined;
  };
  return {
    ask,
    definitions: api.definitions,
    start,
    find,
    there: (name: string) => until(name, () => find(name)),
    gone: (name: string) => until(`${name} to go`, async () => (await find(name)) === undefined),
    remove: (name: string) => ask('DELETE', `${path}/${name}`),
    change: (name: string, patch: object) => ask('PATCH', `${path}/${name}`, patch, merge),
    make: (name: string, spec: object, labels: Record<string, string>) =>
      ask('POST', path, {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name, labels },
        spec: { groupPriorityMinimum: 5, versionPriority: 5, ...spec },
      }),
  };
}

test('what a server serves is listed as APIServices, those of custom groups for as long as they are there', async () => {
  const { definitions, start, find, there, gone } = await setUp();
  await start();
  expect((await there('v1.apps')).spec).toEqual({
    group: 'apps',
    version: 'v1',
    groupPriorityMinimum: 17_800,
    versionPriority: 15,
  });
  expect((await there('v2.autoscaling')).status?.conditions).toMatchObject([{ type: 'Available', reason: 'Local' }]);
  expect((await there('v1.')).spec).toEqual({ version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 });
  definitions.replace('example.com', 'widgets', [widgets]);
  expect((await there('v1.example.com')).metadata.labels).toEqual({ [managed]: 'true' });
  definitions.replace('example.com', 'widgets', []);
  await gone('v1.example.com');
  expect(await find('v1.apiregistration.k8s.io')).toBeUndefined();
});

test('one of a custom group comes back at once, and as it was; one of the own groups with the next start', async () => {
  const { definitions, start, find, there, remove, change } = await setUp();
  const first = await start();
  await there('v1.apps');
  await remove('v1.apps');
  definitions.replace('example.com', 'widgets', [widgets]);
  const { uid } = (await there('v1.example.com')).metadata;
  await remove('v1.example.com');
  const again = await there('v1.example.com');
  expect(again.metadata.uid).not.toBe(uid);
  await change('v1.example.com', { spec: { versionPriority: 7 } });
  await until('it to be put right', async () => (await find('v1.example.com'))?.spec?.versionPriority === 100);
  expect(await find('v1.apps')).toBeUndefined();
  await first.stop?.();
  await start();
  await there('v1.apps');
});

// what is there at the start | whether it is there later, and with which priority
const before: [string, string, object, Record<string, string>, number | undefined][] = [
  ['one of ours that is different', 'v1.apps', { group: 'apps', version: 'v1' }, { [managed]: 'onstart' }, 15],
  [
    'one of a group that is served no more',
    'v1.old',
    { group: 'old', version: 'v1' },
    { [managed]: 'true' },
    undefined,
  ],
  [
    'one of our own that is served no more',
    'v1beta1.apps',
    { group: 'apps', version: 'v1beta1' },
    { [managed]: 'onstart' },
    undefined,
  ],
  ["somebody else's", 'v1.old', { group: 'old', version: 'v1' }, {}, 5],
  ["somebody else's of a group that is served", 'v1.apps', { group: 'apps', version: 'v1' }, {}, 5],
];

test.each(before)('%s at the start', async (_what, name, spec, labels, priority) => {
  const { start, find, there, gone, make } = await setUp();
  expect((await make(name, spec, labels)).status).toBe(201);
  await start();
  // They are looked at one after the other: those there first.
  await there('v1.apps');
  await there('v2.autoscaling');
  if (priority === undefined) await gone(name);
  else await until('it to be right', async () => (await find(name))?.spec?.versionPriority === priority);
});
