import { aServer, aWatch } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const path = '/api/v1/namespaces/default/configmaps?watch=true';

test('watches are counted while they are open, whoever ends them', async () => {
  const { api, ask } = await aServer();
  const open = async () => {
    const { body } = await ask('GET', '/metrics');
    return /apiserver_longrunning_requests\{.*resource="configmaps",scope="namespace".*verb="WATCH".*\} (\d+)/.exec(
      body,
    )?.[1];
  };
  expect(await open()).toBeUndefined();
  const watches = [await aWatch(api, path), await aWatch(api, path), await aWatch(api, path)];
  expect(await open()).toBe('3');
  watches[0]?.close();
  watches[0]?.close();
  expect(await open()).toBe('2');
  api.drain();
  expect(await open()).toBe('0');
});
