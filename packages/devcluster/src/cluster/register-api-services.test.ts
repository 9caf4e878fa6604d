import { Kube, type KubeObject, silentLog } from '@slipway/kube';
import { expect, test } from 'vitest';
import { admin, aServer } from '../api-server/testing/a-server.js';
import { inprocTransport } from '../api-server/transport/inproc-transport.js';
import { configMaps } from '../kinds/config-map.js';
import { registerApiServices } from './register-api-services.js';

const path = '/apis/apiregistration.k8s.io/v1/apiservices';

test('what a server serves is listed as APIServices, those of custom groups for as long as they are there', async () => {
  const { api, ask, clock } = await aServer();
  const kube = new Kube(inprocTransport(api, admin), { clock });
  const registration = registerApiServices({ kube, definitions: api.definitions, log: silentLog });
  await registration.start(new AbortController().signal);
  const named = async (name: string) => (await ask('GET', `${path}/${name}`)).body as KubeObject;
  expect((await named('v1.apps')).spec).toEqual({
    group: 'apps',
    version: 'v1',
    groupPriorityMinimum: 17_800,
    versionPriority: 15,
  });
  expect((await named('v2.autoscaling')).status?.conditions).toMatchObject([{ type: 'Available', reason: 'Local' }]);
  expect((await named('v1.apiregistration.k8s.io')).kind).toBe('Status');

  const widgets = { ...configMaps, group: 'example.com', plural: 'widgets', kind: 'Widget' };
  api.definitions.replace('example.com', 'widgets', [widgets]);
  await registration.stop?.();
  expect((await named('v1.example.com')).metadata.labels).toEqual({
    'kube-aggregator.kubernetes.io/automanaged': 'true',
  });

  const next = registerApiServices({ kube, definitions: api.definitions, log: silentLog });
  await next.start(new AbortController().signal);
  api.definitions.replace('example.com', 'widgets', []);
  await next.stop?.();
  expect((await named('v1.example.com')).kind).toBe('Status');
  expect((await named('v1.')).spec).toMatchObject({ version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 });
});
