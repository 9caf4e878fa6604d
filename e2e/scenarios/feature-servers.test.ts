import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Feature } from '@slipway/features';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { eventually, type RunningCluster, slipwayProgram, up } from '../support/slipway.js';

beforeEach((context) => needs(context, 'kubectl'));
const servers = new Map<string, ChildProcess>();

let cluster: RunningCluster;
beforeAll(async () => {
  if (!hasPart('kubectl')) return;
  cluster = await up({ nodes: 1, args: ['--feature-servers', '0'] });
}, 60_000);
afterAll(async () => {
  for (const server of servers.values()) await ended(server, 'SIGTERM');
  await cluster?.[Symbol.asyncDispose]();
});

/** `slipway run feature-server`, as it runs beside a real cluster. */
function startServer(identity: string): ChildProcess {
  const args = ['run', 'feature-server', '--kubeconfig', cluster.kubeconfig, '--identity', identity];
  const server = spawn(process.execPath, [slipwayProgram, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  server.stderr?.resume();
  servers.set(identity, server);
  return server;
}

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill(signal);
  await exit;
}

const lines = async (...args: string[]) => {
  const { stdout } = await cluster.kubectl([...args, '-o', 'name']);
  return stdout.split('\n').filter(Boolean);
};

/** Declares features of a third party, each of which is announced by the server that leads its name. */
async function declare(names: readonly string[]): Promise<void> {
  const documents = names.map((gate) => ({
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'FeatureDefinition',
    metadata: { name: gate.toLowerCase(), namespace: 'acme' },
    spec: { gate, components: [{ name: 'acme-operator', roster: 'Self' }] },
  }));
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: documents });
  expect(await cluster.kubectl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

test('three feature servers share the features, and when one is killed the others take over what it led', async () => {
  for (const name of ['one', 'two', 'three']) startServer(name);
  await eventually('they live', async () => (await lines('-n', 'slipway-system', 'get', 'leases')).length === 3);
  expect(await cluster.kubectl(['create', 'namespace', 'acme'])).toMatchObject({ code: 0 });
  const features = (await cluster.kube()).resource(Feature);
  const announced = (count: number) =>
    eventually(
      `${count} features are announced`,
      async () => (await features.list({ namespace: 'acme' })).items.length === count,
      40_000,
    );
  const names = (batch: string) => Array.from({ length: 9 }, (_, index) => `${batch}${index}`);
  await declare(names('Early'));
  await announced(9);

  const [two] = [servers.get('two')];
  if (!two) throw new Error('not started');
  await ended(two, 'SIGKILL');
  const killedAt = Date.now();
  await declare(names('Late'));
  await announced(18);
  // Dead after 20 s without a renewal, and 5 s for what was under way.
  expect(Date.now() - killedAt).toBeLessThan(40_000);

  const one = servers.get('one');
  if (!one) throw new Error('not started');
  await ended(one, 'SIGTERM');
  const leases = () => lines('-n', 'slipway-system', 'get', 'leases');
  await eventually('the server that lives deletes its lease', async () => (await leases()).length === 2, 20_000);
}, 120_000);

test('an unknown feature is kept and reported as such, until a user forces its deletion', async () => {
  startServer('one');
  const forgotten = {
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'Feature',
    metadata: { name: 'forgotten', namespace: 'acme' },
    spec: { gate: 'Forgotten' },
  };
  expect(await cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(forgotten) })).toMatchObject({
    code: 0,
  });
  const known = [
    '-n',
    'acme',
    'get',
    'feature',
    'forgotten',
    '-o',
    'jsonpath={.status.conditions[?(@.type=="Known")].reason}',
  ];
  await eventually('it is unknown', async () => (await cluster.kubectl(known)).stdout === 'NotSeen', 40_000);

  const kept = await cluster.slipway(['feature', 'retire', 'Forgotten', '-n', 'acme']);
  expect(kept).toMatchObject({ code: 1, stdout: '' });
  expect(kept.stderr).toContain('Forgotten is kept: no definition and no process in acme knows Forgotten');
  expect(kept.stderr).toContain('To fix: slipway feature retire Forgotten --force');
  const known1 = await cluster.slipway(['feature', 'retire', 'Early1', '-n', 'acme', '--force']);
  expect(known1.code).toBe(1);
  expect(known1.stderr).toContain('would be announced again');
  const gone = await cluster.slipway(['feature', 'retire', 'Forgotten', '-n', 'acme', '--force']);
  expect(gone).toMatchObject({ code: 0, stdout: 'Forgotten is retired.\n' });
  expect(await lines('-n', 'acme', 'get', 'features')).toHaveLength(18);
}, 120_000);
