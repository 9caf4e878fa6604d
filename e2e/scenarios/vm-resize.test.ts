import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CustomObjectsApi, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { hasPart, needs } from '../../tools/real-parts.js';
import { freePort } from '../support/free-port.js';
import { eventually, type RunningCluster, slipway, up } from '../support/slipway.js';

const group = 'balloons.slipway.dev';
const version = 'v1alpha1';
const secret = 'only the two of us know';

interface NodeSize {
  readonly status?: {
    readonly observedRequestID?: string;
    readonly resize?: object;
    readonly lastResize?: { readonly result: string; readonly reason: string; readonly message: string };
    readonly size?: Readonly<Record<string, string>>;
    readonly actuator?: { readonly phase: string; readonly granted?: Readonly<Record<string, string>> };
  };
}

/** A program that resizes machines: appends what it is asked to a file, and grants it. */
const program = `
  const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));
  require('fs').appendFileSync(process.argv[1], JSON.stringify({ ...asked, secrets: process.env.HOME ?? 'none' }) + '\\n');
  console.log(JSON.stringify({ state: 'Done', granted: asked.to }));
`;

describe('machines resized for an autoscaler that is not ours', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-vm-'));
  const asked = join(folder, 'asked.jsonl');
  const monitor = join(folder, 'n4.sock');
  const hooked: { readonly body: string; readonly isSigned: boolean }[] = [];
  let webhook: Server | undefined;
  let metricsPort = 0;
  let cluster: RunningCluster | undefined;
  let endMachine = () => {};
  const objects = () => {
    const config = new KubeConfig();
    config.loadFromFile(cluster?.kubeconfig ?? '');
    return config.makeApiClient(CustomObjectsApi);
  };

  /** What the design asks of callers: write a size and a requestID, wait until it has come back, read the result. */
  async function autoscale(name: string, size: Readonly<Record<string, string>>, more: object = {}) {
    const requestID = `${name}-${JSON.stringify(size).length}-${Math.random().toString(36).slice(2)}`;
    const at = { group, version, plural: 'nodesizes', name };
    await objects().patchClusterCustomObject(
      { ...at, body: { spec: { mode: 'Size', size, requestID, ...more } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    return await eventually(`${name} has answered`, async () => {
      const { status } = (await objects().getClusterCustomObject(at)) as NodeSize;
      return status?.observedRequestID === requestID && !status.resize && status;
    });
  }

  beforeAll(async () => {
    if (!hasPart('kubectl')) return;
    webhook = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { 'x-slipway-timestamp': time, 'x-slipway-signature': signature } = request.headers;
      const hmac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
      hooked.push({ body, isSigned: signature === `sha256=${hmac}` });
      response.end(JSON.stringify({ state: 'Done', granted: JSON.parse(body).to }));
    });
    await new Promise<void>((listening) => webhook?.listen(0, '127.0.0.1', listening));
    writeFileSync(join(folder, 'secret'), secret);
    metricsPort = await freePort();
    const { port } = webhook.address() as AddressInfo;
    const configuration = {
      metrics: `127.0.0.1:${metricsPort}`,
      actuators: [
        { name: 'sim', driver: 'sim', delaySeconds: 0.2, outcomes: ['Done', 'Unknown', 'Failed'] },
        { name: 'exec', driver: 'exec', command: [process.execPath, '-e', program, asked] },
        { name: 'hook', driver: 'webhook', url: `http://127.0.0.1:${port}/`, secretFile: join(folder, 'secret') },
        { name: 'lab', driver: 'qmp', socket: join(folder, '{node}.sock') },
      ],
    };
    const file = join(folder, 'balloons.json');
    writeFileSync(file, JSON.stringify(configuration));
    const args = ['--ephemeral', '--node-cpu', '16', '--node-memory', '64Gi', '--balloon-config', file];
    cluster = await up({ nodes: 4, args });
    const names = ['sim', 'exec', 'hook', 'lab'];
    for (const [at, name] of names.entries()) {
      await cluster.kubectl(['label', 'node', `n${at + 1}`, `vm=${name}`]);
      const policy = {
        apiVersion: `${group}/${version}`,
        kind: 'BalloonPolicy',
        metadata: { name },
        spec: { nodeSelector: { matchLabels: { vm: name } }, actuatorRef: { name } },
      };
      const applied = await cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(policy) });
      expect(applied.code, applied.stderr).toBe(0);
    }
    await eventually('every node has a size', async () => {
      const { stdout } = (await cluster?.kubectl(['get', 'nodesizes'])) ?? { stdout: '' };
      return stdout.match(/AtSize/g)?.length === 4;
    });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    webhook?.close();
    endMachine();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a machine shrinks after its node, and grows before it', async (context) => {
    needs(context, 'kubectl');
    const small = await autoscale('n2', { cpu: '4', memory: '16Gi' });
    expect(small).toMatchObject({ lastResize: { result: 'Succeeded' }, size: { cpu: '4', memory: '16Gi' } });
    expect(small.actuator).toMatchObject({ phase: 'InSync', granted: { cpu: '4', memory: '16Gi' } });
    const large = await autoscale('n2', { cpu: '8', memory: '32Gi' });
    expect(large.actuator).toMatchObject({ phase: 'InSync', granted: { cpu: '8', memory: '32Gi' } });
    const questions = readFileSync(asked, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(questions.map(({ node, to }) => [node, to.cpu])).toEqual([
      ['n2', '4'],
      ['n2', '8'],
    ]);
    expect(questions[0].secrets).toBe('none');
  });

  test('what cannot be is answered, and no machine is touched', async (context) => {
    needs(context, 'kubectl');
    const before = readFileSync(asked, 'utf8');
    const answer = await autoscale('n2', { cpu: '99' });
    expect(answer.lastResize).toMatchObject({ result: 'Rejected', reason: 'OutOfBounds' });
    expect(readFileSync(asked, 'utf8')).toBe(before);
  });

  test('a webhook is asked under a signature', async (context) => {
    needs(context, 'kubectl');
    const answer = await autoscale('n3', { cpu: '4', memory: '16Gi' });
    expect(answer.lastResize).toMatchObject({ result: 'Succeeded' });
    expect(hooked.map(({ isSigned, body }) => [isSigned, JSON.parse(body).verb])).toEqual([[true, 'ensure']]);
  });

  test('a machine that says nothing does not grow its node', async (context) => {
    needs(context, 'kubectl');
    expect((await autoscale('n1', { cpu: '4', memory: '16Gi' })).lastResize).toMatchObject({ result: 'Succeeded' });
    const unknown = await autoscale('n1', { cpu: '8', memory: '32Gi' });
    expect(unknown.lastResize?.result).toBe('ActuatorFailed');
    expect(unknown.size).toMatchObject({ cpu: '4', memory: '16Gi' });
  });

  test('a real QEMU is asked over its monitor', async (context) => {
    needs(context, 'kubectl');
    needs(context, 'QEMU');
    const devices = ['-device', 'virtio-balloon-pci,deflate-on-oom=on', '-qmp', `unix:${monitor},server=on,wait=off`];
    const paused = ['-S', '-machine', 'q35,accel=tcg', '-m', '256', '-display', 'none', '-nodefaults', ...devices];
    const machine = spawn('qemu-system-x86_64', paused, { stdio: 'ignore' });
    endMachine = () => machine.kill('SIGKILL');
    // A paused guest gives nothing back: the node has shrunk, the machine is still on its way.
    const name = 'n4';
    const spec = { mode: 'Size', size: { memory: '16Gi' }, requestID: 'paused' };
    await objects().patchClusterCustomObject(
      { group, version, plural: 'nodesizes', name, body: { spec } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    const status = await eventually('QEMU has said what its guest has', async () => {
      const size = (await objects().getClusterCustomObject({ group, version, plural: 'nodesizes', name })) as NodeSize;
      return size.status?.actuator?.granted && size.status;
    });
    expect(status).toMatchObject({ actuator: { phase: 'Shrinking', granted: { memory: '256Mi' } } });
  });

  test('the numbers of all this are at /metrics, and no pod was harmed', async (context) => {
    needs(context, 'kubectl');
    const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(page).toContain('slipway_node_size{node="n3",resource="cpu",unit="core"} 4\n');
    expect(page).toContain('slipway_node_balloon{node="n3",resource="cpu",unit="core",state="allocated"} 12\n');
    expect(page).toContain(
      'slipway_actuator_granted{node="n3",resource="memory",unit="byte",actuator="hook"} 17179869184\n',
    );
    expect(page).toMatch(/^slipway_balloon_resizes_total\{direction="Down",result="Succeeded"\} [3-9]$/m);
    expect(page).toContain('slipway_actuator_calls_total{actuator="hook",verb="ensure",result="Done"} 1\n');
    expect(page).toMatch(/^slipway_node_usage\{node="n3",resource="memory",unit="byte"\} \d+$/m);
    expect(page).toContain('slipway_balloon_harm_total{kind="preempted"} 0\n');
    expect(page).toContain('slipway_balloon_harm_total{kind="rejected"} 0\n');
  });
});

test('a configuration that cannot be used ends up before anything is started', async () => {
  const folder = testFolder();
  const file = join(folder, 'balloons.yaml');
  writeFileSync(file, 'actuators:\n  - name: lab\n    driver: magic\n');
  const { code, stderr } = await slipway(['up', '--ephemeral', '--port', '0', '--balloon-config', file]);
  expect(code).toBe(2);
  expect(stderr).toContain('actuators[0].driver: must be one of exec, webhook, qmp, sim\nTo fix: ');
});
