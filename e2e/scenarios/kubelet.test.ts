import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/shared-cluster.js';
import { eventually, slipway } from '../support/slipway.js';

const images = 'images: [{name: broken, error: "broken:1: not found"}]';
const kubelet = 'serializeImagePulls: false\nmaxParallelImagePulls: 3\nsystemReserved: {cpu: 500m}\n';

describe('what kubelets do, seen with kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-kubelet-'));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const files = ['--images', file('images.yaml', images), '--kubelet-config', file('kubelet.yaml', kubelet)];
  const args = ['--ephemeral', '--kubelet-version', 'n2:1.33', ...files];
  const { cluster, kubectl } = sharedCluster({ nodes: 2, args });
  afterAll(() => rmSync(folder, { recursive: true }));
  const refused = async (...args: string[]) => {
    const done = await cluster().kubectl(args);
    expect(done.code, `kubectl ${args.join(' ')}: ${done.stdout}`).not.toBe(0);
    return done.stderr;
  };
  /** Runs a pod of one container `main` on node n1. */
  const run = async (name: string, container: object, annotations: Readonly<Record<string, string>> = {}) => {
    const spec = {
      nodeName: 'n1',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'app:1', ...container }],
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations }, spec };
    const done = await cluster().kubectl(['create', '-f', '-'], { stdin: JSON.stringify(pod) });
    expect(done.code, done.stderr).toBe(0);
  };
  const isReady = (name: string) => kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=20s');
  const resize = (name: string, resources: object) =>
    [
      'patch',
      'pod',
      name,
      '--subresource',
      'resize',
      '-p',
      JSON.stringify({ spec: { containers: [{ name: 'main', resources }] } }),
    ] as const;
  const read = (name: string, path: string) => kubectl('get', 'pod', name, '-o', `jsonpath={${path}}`);

  test('kubectl patch --subresource resize: a pod grows while it runs, waits for room, and is told what never fits', async () => {
    await run('web', { resources: { requests: { cpu: '1', memory: '1Gi' } } });
    await run('other', { resources: { requests: { cpu: '2' } } });
    await isReady('web');
    await isReady('other');
    await kubectl(...resize('web', { requests: { cpu: '1500m' } }));
    await eventually(
      'it runs with 1500m',
      async () => (await read('web', '.status.containerStatuses[0].resources.requests.cpu')) === '1500m',
    );
    expect(await read('web', '.status.containerStatuses[0].restartCount')).toBe('0');
    expect(
      await kubectl('get', 'events', '--field-selector', 'involvedObject.name=web,reason=ResizeCompleted'),
    ).toContain('Pod resize completed');

    await kubectl(...resize('web', { requests: { cpu: '2' } }));
    const pending = '.status.conditions[?(@.type=="PodResizePending")]';
    await eventually('it waits', async () => (await read('web', `${pending}.reason`)) === 'Deferred');
    // Of the 4 cpus half a one is reserved for the system.
    expect(await read('web', `${pending}.message`)).toBe(
      "Node didn't have enough resource: cpu, requested: 2000, used: 2000, capacity: 3500",
    );
    await kubectl('delete', 'pod', 'other');
    await eventually(
      'it runs with 2',
      async () => (await read('web', '.status.containerStatuses[0].resources.requests.cpu')) === '2',
    );

    await kubectl(...resize('web', { requests: { cpu: '3600m' } }));
    await eventually('it can never be', async () => (await read('web', `${pending}.reason`)) === 'Infeasible');
    expect(await cluster().slipway(['dev', 'node', 'resize', 'n1', '--cpu', '8'])).toMatchObject({
      code: 0,
      stdout: 'n1 has 8 cpu now.\n',
    });
    await eventually(
      'the node says so',
      async () => (await kubectl('get', 'node', 'n1', '-o', 'jsonpath={.status.allocatable.cpu}')) === '7500m',
    );
    await kubectl(...resize('web', { requests: { cpu: '5' } }));
    await eventually(
      'it runs with 5',
      async () => (await read('web', '.status.containerStatuses[0].resources.requests.cpu')) === '5',
    );

    expect(await refused(...resize('web', { limits: { cpu: '5', memory: '1Gi' } }))).toContain(
      'Pod QOS Class may not change as a result of resizing',
    );
    await kubectl('delete', 'pod', 'web');
  });

  test('kubectl get nodes shows kubelets of another version', async () => {
    const versions = await kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}');
    expect(versions).toBe('v1.37.0 v1.33.0');
  });

  test('kubectl top nodes, pods and containers', async () => {
    await run(
      'busy',
      { resources: { limits: { cpu: '2', memory: '1Gi' } } },
      { 'sim.slipway.dev/main.usage': 'cpu=1500m,memory=300Mi' },
    );
    await isReady('busy');
    expect(await kubectl('top', 'nodes')).toMatch(/n1\s+1550m\s+\d+%\s+556Mi\s+\d+%/);
    expect(await kubectl('top', 'pods')).toMatch(/busy\s+1500m\s+300Mi/);
    expect(await kubectl('top', 'pod', 'busy', '--containers')).toMatch(/busy\s+main\s+1500m\s+300Mi/);
    await kubectl('delete', 'pod', 'busy');
  });

  test('kubectl logs, of a container that runs and of the one before it', async () => {
    await run('talks', {}, { 'sim.slipway.dev/main': 'exit=3,after=1s', 'sim.slipway.dev/main.log': 'listening' });
    await eventually(
      'it was restarted',
      async () => (await read('talks', '.status.containerStatuses[0].restartCount')) === '1',
    );
    expect(await kubectl('logs', 'talks', '--previous')).toBe(
      'main of pod default/talks runs app:1\nmain ends with exit code 3\n',
    );
    expect(await kubectl('logs', 'talks', '--tail=1', '--timestamps')).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \S/);
    expect(await refused('logs', 'talks', '-c', 'none')).toContain('container none is not valid for pod talks');
    await run('serves', {}, { 'sim.slipway.dev/main': 'exit=0,after=3s' });
    await isReady('serves');
    expect(await kubectl('logs', '-f', 'serves')).toMatch(/runs app:1\n[\s\S]*main ends with exit code 0\n$/);
    await kubectl('delete', 'pod', 'talks', 'serves');
  });

  test('kubectl debug adds a container; exec runs commands in each, and attach shows what it writes', async () => {
    await run('buggy', {});
    await isReady('buggy');
    await kubectl('debug', 'buggy', '--image=tools:1', '-c', 'debugger', '--target=main');
    await eventually(
      'it runs',
      async () => (await read('buggy', '.status.ephemeralContainerStatuses[0].state.running')) !== '',
    );
    expect(await kubectl('logs', 'buggy', '-c', 'debugger')).toContain('runs tools:1');
    expect(await kubectl('exec', 'buggy', '-c', 'debugger', '--', 'hostname')).toBe('buggy\n');
    expect(await refused('exec', 'buggy', '-c', 'main', '--', 'sh', '-c', 'echo to stderr; exit 4')).toContain(
      'exit code 4',
    );
    await run('ends', {}, { 'sim.slipway.dev/main': 'exit=0,after=5s' });
    await isReady('ends');
    expect(await kubectl('attach', 'ends')).toContain('main ends with exit code 0');
    await kubectl('delete', 'pod', 'buggy', 'ends');
  });

  test('probes: a pod that becomes ready late, and one that is restarted for not answering', async () => {
    const every1 = { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };
    await run('late', { readinessProbe: every1 }, { 'sim.slipway.dev/main.readiness': 'fail,ok@2s' });
    await run('deaf', { livenessProbe: every1 }, { 'sim.slipway.dev/main.liveness': 'fail@1s' });
    await isReady('late');
    // Seen when it was over: a busy machine may come here after the two seconds.
    expect(await kubectl('describe', 'pod', 'late')).toContain('Readiness probe failed: HTTP probe failed');
    await eventually(
      'it is restarted',
      async () => (await read('deaf', '.status.containerStatuses[0].restartCount')) !== '0',
    );
    const described = await kubectl('describe', 'pod', 'deaf');
    expect(described).toContain('Liveness probe failed: HTTP probe failed with statuscode: 500');
    expect(described).toContain('Container main failed liveness probe, will be restarted');
    await kubectl('delete', 'pod', 'late', 'deaf');
  });

  test('an image that cannot be pulled: ImagePullBackOff, with its reason', async () => {
    await run('nothing', { image: 'broken:1' });
    await eventually('it backs off', async () =>
      /nothing\s+0\/1\s+ImagePullBackOff/.test(await kubectl('get', 'pod', 'nothing')),
    );
    expect(await kubectl('describe', 'pod', 'nothing')).toContain(
      'Failed to pull image "broken:1": broken:1: not found',
    );
    expect(await refused('logs', 'nothing')).toContain('is waiting to start: trying and failing to pull image');
    await kubectl('delete', 'pod', 'nothing');
  });

  test.each([
    ['--kubelet-config', 'maxPods: -1', 'maxPods is -1, not a whole number from 0'],
    [
      '--kubelet-config',
      'serializeImagePulls: true\nmaxParallelImagePulls: 3',
      'maxParallelImagePulls above 1 needs serializeImagePulls false',
    ],
    ['--images', 'bandwidth: much', 'bandwidth is "much", which is not an amount of bytes (try 300Mi)'],
  ])('slipway up %s with a file that cannot be used: %j', async (flag, text, why) => {
    const path = file('wrong.yaml', text);
    const done = await slipway(['up', '--ephemeral', '--port', '0', '--data-dir', join(folder, 'none'), flag, path]);
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr.split('\n')[0]).toContain(`${path}: ${why}`);
  });
});
