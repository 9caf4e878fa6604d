import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { Kube } from '@slipway/kube';
import { expect, test } from 'vitest';
import { publishAuthentication } from './publish-authentication.js';
import { admin, aServer, named } from './testing/a-server.js';

test('publishAuthentication() says by which authority clients and proxies are known, and follows a new one', async () => {
  const { api, ask, clock } = await aServer();
  await ask('POST', '/api/v1/namespaces', named('Namespace', 'kube-system'));
  const kube = new Kube(inprocTransport(api, admin), { clock });
  const published = async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    return (await ask('GET', path)).body;
  };
  await publishAuthentication(kube, 'first');
  const first = await published();
  expect(first.data).toEqual({
    'client-ca-file': 'first',
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-client-ca-file': 'first',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  });
  await publishAuthentication(kube, 'first');
  expect((await published()).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  await publishAuthentication(kube, 'second');
  expect((await published()).data).toMatchObject({ 'client-ca-file': 'second' });
});
