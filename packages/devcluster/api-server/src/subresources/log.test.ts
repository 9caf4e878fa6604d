import { duplexPair } from 'node:stream';
import { admin, aPod, aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import type { OpenWatch } from '../request/request.js';

const path = '/api/v1/namespaces/default/pods/p';
const merge = { 'content-type': 'application/merge-patch+json' };

interface Setting {
  readonly state?: object;
  readonly lastState?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/** A pod `p` on a node whose one container is in this state; times are seconds of the server's clock. */
async function aServerWithPod({ state, lastState, annotations = {}, spec }: Setting = {}) {
  const server = await aServer();
  const { ask, clock } = server;
  const pod = aPod('p', { nodeName: 'n1' });
  await ask('POST', '/api/v1/namespaces/default/pods', {
    ...pod,
    metadata: { name: 'p', annotations },
    spec: { ...pod.spec, ...spec },
  });
  const begun = new Date(clock.now()).toISOString();
  const running = { running: { startedAt: begun } };
  const one = {
    name: 'main',
    image: 'app:1',
    imageID: '',
    ready: true,
    restartCount: 0,
    state: state ?? running,
    lastState: lastState ?? {},
  };
  await ask('PATCH', `${path}/status`, { status: { containerStatuses: [one] } }, merge);
  const read = async (query = '') => (await ask('GET', `${path}/log${query}`)).body;
  return { ...server, read };
}

const terminated = (exitCode: number) => ({
  terminated: { exitCode, startedAt: '1970-01-01T00:00:00Z', finishedAt: '1970-01-01T00:00:15Z', containerID: 'x' },
});
const first = 'main of pod default/p runs app:1\n';
const told = { 'sim.slipway.dev/main.log': 'listening\nserving' };
const all = `${first}listening\nserving\nmain has run for 10 s\nmain has run for 20 s\n`;

// query | what is read 25 s after the start
const queries: [string, string][] = [
  ['', all],
  ['?container=main', all],
  ['?tailLines=1', 'main has run for 20 s\n'],
  ['?tailLines=0', ''],
  ['?sinceSeconds=10', 'main has run for 20 s\n'],
  ['?limitBytes=4', 'main'],
];

test.each(queries)('a log is read with %j', async (query, expected) => {
  const { clock, read } = await aServerWithPod({ annotations: told });
  await clock.advance(25_000);
  expect(await read(query)).toBe(expected);
});

test('a log is read with the time of each line', async () => {
  const { clock, read } = await aServerWithPod();
  const time = new Date(clock.now()).toISOString().slice(0, -1);
  expect(await read('?timestamps=true')).toBe(`${time}000000Z ${first}`);
});

// state | last state | query | text
const ended: [object, object, string, string][] = [
  [terminated(3), {}, '', `${first}main has run for 10 s\nmain ends with exit code 3\n`],
  [
    { waiting: { reason: 'CrashLoopBackOff' } },
    terminated(3),
    '',
    `${first}main has run for 10 s\nmain ends with exit code 3\n`,
  ],
  [
    { running: { startedAt: '2030-01-01T00:00:00Z' } },
    terminated(1),
    '?previous=true',
    `${first}main has run for 10 s\nmain ends with exit code 1\n`,
  ],
];

test.each(ended)('a log of a container in state %j, last %j, is read%s', async (state, lastState, query, text) => {
  const { read } = await aServerWithPod({ state, lastState });
  expect(await read(query)).toBe(text);
});

const inPod = 'container "main" in pod "p"';
const two = {
  containers: [
    { name: 'main', image: 'i' },
    { name: 'b', image: 'i' },
  ],
  initContainers: [{ name: 'init', image: 'i' }],
};
// what | setting | query | code | message
const refused: [string, Setting, string, number, string][] = [
  ['no container of that name', {}, '?container=x', 400, 'container x is not valid for pod p'],
  [
    'several containers',
    { spec: two },
    '',
    400,
    'a container name must be specified for pod p, choose one of: [init main b]',
  ],
  ['nothing before', {}, '?previous=true', 400, `previous terminated ${inPod} not found`],
  [
    'no start yet',
    { state: { waiting: { reason: 'ContainerCreating' } } },
    '',
    400,
    `${inPod} is waiting to start: ContainerCreating`,
  ],
  [
    'no image',
    { state: { waiting: { reason: 'ErrImagePull' } } },
    '',
    400,
    `${inPod} is waiting to start: image can't be pulled`,
  ],
  [
    'no image for long',
    { state: { waiting: { reason: 'ImagePullBackOff' } } },
    '',
    400,
    `${inPod} is waiting to start: trying and failing to pull image`,
  ],
  ['no status yet', { spec: two }, '?container=b', 400, 'container "b" in pod "p" is not available'],
  [
    'a tail below zero',
    {},
    '?tailLines=-1',
    422,
    'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'no bytes',
    {},
    '?limitBytes=0',
    422,
    'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
  ],
  [
    'two beginnings',
    {},
    '?sinceSeconds=1&sinceTime=2030-01-01T00:00:00Z',
    422,
    'at most one of `sinceTime` or `sinceSeconds` may be specified',
  ],
];

test.each(refused)('a log of %s', async (_what, setting, query, code, message) => {
  const { ask } = await aServerWithPod(setting);
  const { status, body } = await ask('GET', `${path}/log${query}`);
  expect([status, body.message]).toEqual([code, expect.stringContaining(message)]);
});

test('a pod without a node has written nothing, and one that is not there has no log', async () => {
  const { ask } = await aServer();
  await ask('POST', '/api/v1/namespaces/default/pods', aPod('p'));
  expect((await ask('GET', `${path}/log`)).body).toBe('');
  expect((await ask('GET', '/api/v1/namespaces/default/pods/q/log')).status).toBe(404);
  expect((await ask('POST', `${path}/log`, {})).status).toBe(405);
});

// what the container does once it has ended
test.each(['stays so', 'is started again'])(
  'a log that is followed goes on until the container ends, and then %s',
  async (what) => {
    const { api, ask, clock } = await aServerWithPod();
    const answer = await api.handle({ method: 'GET', path: `${path}/log?follow=true`, headers: {}, user: admin });
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    if (answer.payload?.kind !== 'watch') throw new Error('nothing to follow');
    let text = '';
    let isOver = false;
    const open: OpenWatch = answer.payload.open({
      event(frame) {
        text += frame.line();
      },
      end() {
        isOver = true;
      },
    });
    expect(text).toBe(first);
    for (let s = 0; s < 11; s++) await clock.advance(1_000);
    expect(text).toBe(`${first}main has run for 10 s\n`);
    const finishedAt = new Date(clock.now()).toISOString();
    const startedAt = new Date(clock.now() - 11_000).toISOString();
    const ended = { terminated: { exitCode: 0, startedAt, finishedAt, containerID: 'x' } };
    const states =
      what === 'stays so'
        ? { state: { running: null, ...ended }, restartCount: 0 }
        : { state: { running: { startedAt: finishedAt } }, lastState: ended, restartCount: 1 };
    const one = { name: 'main', image: 'app:1', imageID: '', ready: false, ...states };
    await ask('PATCH', `${path}/status`, { status: { containerStatuses: [one] } }, merge);
    await clock.advance(1_000);
    expect([text, isOver]).toEqual([`${first}main has run for 10 s\nmain ends with exit code 0\n`, true]);
    open.close();
  },
);

// query | protocol | what is sent, message by message, until the container ends after 15 s
test.each([
  ['', 'binary.k8s.io', [first]],
  ['', 'base64.binary.k8s.io', [Buffer.from(first).toString('base64')]],
  ['?follow=true', 'binary.k8s.io', [first, 'main has run for 10 s\n']],
])('a log is read over a WebSocket with %j and %s', async (query, protocol, messages) => {
  const { api, clock, ask } = await aServerWithPod();
  const headers = { upgrade: 'websocket', 'sec-websocket-key': 'a2V5', 'sec-websocket-protocol': protocol };
  const answer = await api.handle({ method: 'GET', path: `${path}/log${query}`, headers, user: admin, clock });
  expect(answer).toMatchObject({ status: 101, headers: { 'sec-websocket-protocol': protocol } });
  if (answer.payload?.kind !== 'upgrade') throw new Error('not upgraded');
  const [client, server] = duplexPair();
  const sent: Buffer[] = [];
  client.on('data', (bytes) => sent.push(bytes));
  answer.payload.take(server, Buffer.alloc(0));
  for (let second = 0; second < 16; second++) await clock.advance(1_000);
  const one = { name: 'main', image: 'app:1', imageID: '', ready: false, restartCount: 0, state: terminated(0) };
  await ask('PATCH', `${path}/status`, { status: { containerStatuses: [one] } }, merge);
  await clock.advance(1_000);
  const text = Buffer.concat(sent).toString('latin1');
  expect(messages.filter((message) => !text.includes(message))).toEqual([]);
  expect(sent.at(-1)?.[0]).toBe(0x88);
});
