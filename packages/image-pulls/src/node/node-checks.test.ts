import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { aDaemonState } from '../testing/a-daemon-state.js';
import { testFolder } from '../testing/test-folder.js';
import { checkNode, type NodeFinding } from './node-checks.js';
import { type NodeFacts, readNodeFacts } from './node-facts.js';
import { isNewEnough } from './node-version.js';

let root: string;
beforeEach(() => {
  root = testFolder();
});

const listen = '/run/slipway/pulls/image.sock';

/** A node on which everything is as it should be. */
const fine: NodeFacts = {
  nodeVersion: 'v20.19.0',
  listen,
  socketMode: 0o140600,
  folderMode: 0o40700,
  daemon: aDaemonState(),
  kubelet: {
    serializeImagePulls: false,
    registryPullQPS: 0,
    imageServiceEndpoint: `unix://${listen}`,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  },
  kubeletProblem: undefined,
  crictlImageEndpoint: `unix://${listen}`,
  hasCrictl: true,
  containerdConfig: 'version = 2\nimage_pull_progress_timeout = "5m0s"\n',
  mirrors: [{ url: 'https://mirror.example', answers: true }],
};

const found = (facts: Partial<NodeFacts>) => checkNode({ ...fine, ...facts });
const of = (findings: readonly NodeFinding[], check: string) => findings.find((one) => one.check === check);

test('checkNode() finds nothing wrong where nothing is', () => {
  expect(found({}).filter(({ result }) => result === 'problem')).toEqual([]);
});

test('doctor: names the QPS refusal', () => {
  expect(of(found({ kubelet: { serializeImagePulls: false } }), 'pull rate')).toEqual({
    check: 'pull rate',
    result: 'note',
    message: 'it refuses with "pull QPS exceeded" above 5/s (burst 10), before the limiter is asked',
    fix: 'registryPullQPS: 0',
  });
});

test.each<[string, Partial<NodeFacts>, string, NodeFinding['result'], string]>([
  ['none', { daemon: undefined }, 'limiter', 'problem', 'no limiter answers at'],
  ['a bypass', { daemon: aDaemonState({ bypassed: true }) }, 'limiter', 'problem', 'it is bypassed'],
  ['a runtime that is away', { daemon: aDaemonState({ runtimeUp: false }) }, 'limiter', 'problem', 'does not answer'],
  ['no limit', { daemon: aDaemonState({ limit: 0 }) }, 'limiter', 'note', 'it has no limit'],
  ['a kubelet that goes past', { kubelet: {} }, 'kubelet endpoint', 'problem', 'past the limiter'],
  ['an empty endpoint', { kubelet: { imageServiceEndpoint: '' } }, 'kubelet endpoint', 'problem', 'past the limiter'],
  [
    'another proxy',
    { kubelet: { imageServiceEndpoint: 'unix:///run/x.sock' } },
    'kubelet endpoint',
    'problem',
    'another image proxy',
  ],
  [
    'an unreadable kubelet file',
    { kubelet: undefined, kubeletProblem: '/k.yaml: is a Pod' },
    'kubelet endpoint',
    'problem',
    'cannot read /k.yaml: is a Pod',
  ],
  ['a serial kubelet', { kubelet: {} }, 'serial kubelet', 'problem', 'one image after the other'],
  [
    'a kubelet that does not start',
    { kubelet: { serializeImagePulls: true, maxParallelImagePulls: 3 } },
    'serial kubelet',
    'problem',
    'needs serializeImagePulls false',
  ],
  [
    'a second limit',
    { kubelet: { serializeImagePulls: false, maxParallelImagePulls: 2 } },
    'second limit',
    'note',
    'so 2 holds',
  ],
  [
    'the runtime endpoint',
    { kubelet: { containerRuntimeEndpoint: `unix://${listen}` } },
    'runtime endpoint',
    'note',
    'CRI-O',
  ],
  ['crictl', { crictlImageEndpoint: undefined }, 'crictl', 'note', 'past the limiter'],
  ['containerd 1', {}, 'layers', 'note', '3 layers of each image'],
  ['containerd 2', { containerdConfig: 'version = 3\n' }, 'layers', 'note', '3 layers in all'],
  ['no progress timeout', { containerdConfig: 'version = 2\n' }, 'stalls', 'note', 'without a limit'],
  [
    'a dead mirror',
    { mirrors: [{ url: 'https://m', answers: false }] },
    'mirrors',
    'problem',
    'https://m do not answer',
  ],
  ['an open socket', { socketMode: 0o140666 }, 'socket', 'problem', 'others than its owner'],
  ['an old Node', { nodeVersion: 'v18.20.0' }, 'Node.js', 'problem', 'too old'],
])('checkNode() sees %s', (_, facts, check, result, message) => {
  expect(of(found(facts), check)).toMatchObject({ result, message: expect.stringContaining(message) });
});

test.each([
  ['v20.18.3', false],
  ['v20.19.0', true],
  ['v22.1.0', true],
  ['v18.99.0', false],
])('isNewEnough(%s) is %s', (nodeVersion, expected) => {
  expect(isNewEnough(nodeVersion)).toBe(expected);
});

test('readNodeFacts() reads a node, and what is not there is undefined', async () => {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const asked: string[] = [];
  const options = {
    root,
    listen,
    kubeletConfig: '/var/lib/kubelet/config.yaml',
    kubeletConfigDir: '',
    nodeVersion: 'v20.19.0',
    daemon: undefined,
    answers: async (host: string, port: number) => {
      asked.push(`${host}:${port}`);
      return host === 'near.example';
    },
  };
  expect(await readNodeFacts(options)).toMatchObject({ kubelet: undefined, hasCrictl: false, mirrors: [] });
  put('/var/lib/kubelet/config.yaml', 'serializeImagePulls: false\nimageServiceEndpoint: unix:///run/x.sock\n');
  put('/etc/crictl.yaml', 'image-endpoint: unix:///run/y.sock\n');
  put('/usr/bin/crictl', '');
  put('/etc/containerd/config.toml', 'version = 2\n');
  put(
    '/etc/containerd/certs.d/docker.io/hosts.toml',
    '[host."http://near.example"]\n[host."https://far.example:5000"]\n',
  );
  expect(await readNodeFacts(options)).toMatchObject({
    kubelet: { serializeImagePulls: false, imageServiceEndpoint: 'unix:///run/x.sock' },
    crictlImageEndpoint: 'unix:///run/y.sock',
    hasCrictl: true,
    containerdConfig: 'version = 2\n',
    mirrors: [
      { url: 'http://near.example', answers: true },
      { url: 'https://far.example:5000', answers: false },
    ],
  });
  expect(asked).toEqual(['near.example:80', 'far.example:5000']);
});

test('readNodeFacts() reads a kubelet file written as JSON, and the drop-ins that change it', async () => {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const facts = () =>
    readNodeFacts({
      root,
      listen,
      kubeletConfig: '/k.json',
      kubeletConfigDir: '/k.d',
      nodeVersion: 'v20.19.0',
      daemon: undefined,
      answers: async () => false,
    });
  put('/k.json', '{\n\t"kind": "KubeletConfiguration",\n\t"imageServiceEndpoint": "unix:///run/x.sock"\n}');
  expect((await facts()).kubeletProblem).toContain('/k.d: ENOENT');
  put('/k.d/10/a.conf', 'imageServiceEndpoint: unix:///run/early.sock\n');
  put('/k.d/20.conf', `{"imageServiceEndpoint": "unix://${listen}"}`);
  put('/k.d/30.yaml', 'imageServiceEndpoint: unix:///run/not-a-drop-in.sock\n');
  expect(of(checkNode(await facts()), 'kubelet endpoint')).toMatchObject({ result: 'ok' });
});
