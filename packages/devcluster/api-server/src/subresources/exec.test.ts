import { aPod, aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';

const path = '/api/v1/namespaces/default/pods';
const webSocket = { upgrade: 'websocket', 'sec-websocket-key': 'a2V5', 'sec-websocket-protocol': 'v5.channel.k8s.io' };
const channels = { ...webSocket, 'sec-websocket-protocol': 'v4.channel.k8s.io' };
const spdy = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
const exec = 'exec?command=true&stdout=true';

// what | pod and subresource | headers | status | message
const refused: [string, string, Record<string, string>, number, string][] = [
  ['no such pod', `none/${exec}`, webSocket, 404, 'pods "none" not found'],
  ['a pod without a node', `waiting/${exec}`, webSocket, 400, 'pod waiting does not have a host assigned'],
  ['a container that does not run', `starting/${exec}`, webSocket, 404, 'container not found ("main")'],
  ['another container', `p/${exec}&container=b`, webSocket, 400, 'container b is not valid for pod p'],
  ['no stream', 'p/exec?command=true', webSocket, 400, 'you must specify at least 1 of stdin, stdout, stderr'],
  [
    'only streams that are off',
    'p/exec?command=true&stdin=False&stdout=false&stderr=0',
    webSocket,
    400,
    'you must specify at least 1 of stdin, stdout, stderr',
  ],
  ['no command', 'p/exec?stdout=true', webSocket, 400, 'you must specify at least one command for the container'],
  ['no upgrade', `p/${exec}`, {}, 400, 'Upgrade request required'],
  [
    'another WebSocket protocol',
    `p/${exec}`,
    { ...webSocket, 'sec-websocket-protocol': 'chat' },
    400,
    'no WebSocket protocol in common: this server has v5.channel.k8s.io, v4.channel.k8s.io, v4.base64.channel.k8s.io, channel.k8s.io, base64.channel.k8s.io',
  ],
  [
    'an old SPDY protocol',
    `p/${exec}`,
    { ...spdy, 'x-stream-protocol-version': 'channel.k8s.io' },
    400,
    'no SPDY protocol in common: this server has v4.channel.k8s.io',
  ],
  ['no stream to attach to', 'p/attach', webSocket, 400, 'you must specify at least 1 of stdin, stdout, stderr'],
  ['no port, over channels', 'p/portforward', channels, 400, 'query parameter "port" is required'],
  ['a port that is none', 'p/portforward?ports=80,http', channels, 400, 'unable to parse "http" as a port'],
  ['a port of a pod without a node', 'waiting/portforward', spdy, 400, 'pod waiting does not have a host assigned'],
];

async function aServerWithPods() {
  const server = await aServer();
  for (const name of ['waiting', 'starting', 'p']) {
    await server.ask('POST', path, aPod(name, name === 'waiting' ? {} : { nodeName: 'n1' }));
  }
  const startedAt = '2026-01-01T00:00:00Z';
  const containerStatuses = [
    { name: 'main', image: 'a', imageID: 'a', ready: true, restartCount: 0, state: { running: { startedAt } } },
  ];
  const merge = { 'content-type': 'application/merge-patch+json' };
  await server.ask('PATCH', `${path}/p/status`, { status: { containerStatuses } }, merge);
  return server;
}

test.each(refused)('streams are refused: %s', async (_, where, headers, status, message) => {
  const { ask } = await aServerWithPods();
  const answer = await ask('GET', `${path}/${where}`, undefined, headers);
  expect([answer.status, answer.body.message]).toEqual([status, message]);
});

test('streams are asked for as the Python client does', async () => {
  const { api } = await aServerWithPods();
  const user = { name: 'admin', groups: ['system:masters'] };
  const where = `${path}/p/exec?command=true&stderr=True&stdin=False&stdout=True&tty=False`;
  expect(await api.handle({ method: 'GET', path: where, headers: webSocket, user })).toMatchObject({ status: 101 });
});

test('a connection is handed over with what was agreed on', async () => {
  const { api } = await aServerWithPods();
  const user = { name: 'admin', groups: ['system:masters'] };
  const ask = (headers: Record<string, string>) =>
    api.handle({ method: 'GET', path: `${path}/p/${exec}`, headers, user });
  expect(await ask(webSocket)).toMatchObject({
    status: 101,
    headers: {
      upgrade: 'websocket',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
      // RFC 6455: SHA-1 of the key and a fixed text, in base64.
      'sec-websocket-accept': expect.stringMatching(/^[\w+/]{27}=$/),
    },
  });
  expect(await ask(spdy)).toMatchObject({
    status: 101,
    headers: { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
  });
});
