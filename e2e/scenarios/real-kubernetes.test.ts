import { hostname } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { type ClusterSnapshot, clusterSnapshot, differences, settledSnapshot } from '../support/cluster-snapshot.js';
import { installFeatures, startNodeAgent, withAuthor } from '../support/real-features.js';
import { type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { eventually } from '../support/slipway.js';

// What no simulation shows: the API server's own defaulting, gated fields, admission policies and authorization.

const gate = 'MaxUnavailableStatefulSet';
const name = gate.toLowerCase();
const generation = 'jsonpath={.metadata.generation}';
const field = 'jsonpath={.spec.updateStrategy.rollingUpdate.maxUnavailable}';

let real: RealKubernetes;
let before: ClusterSnapshot;
let serverToken: string;
let servers: Record<string, { end(): Promise<void> }>;
const serve = (identity: string) =>
  real.start(serverToken, 'run', 'feature-server', '--identity', identity, '--listen', '127.0.0.1:0');
beforeAll(async () => {
  if (!hasPart('real Kubernetes') || !hasPart('kubectl')) return;
  // Off by default before 1.37.
  real = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '', `${gate}=true`);
  before = await settledSnapshot(real);
  serverToken = await installFeatures(real, gate);
  servers = { one: serve('one') };
  await startNodeAgent(real);
}, 400_000);
afterAll(async () => await real?.[Symbol.asyncDispose]());

beforeEach((context) => {
  needs(context, 'real Kubernetes');
  needs(context, 'kubectl');
});

test('MaxUnavailableStatefulSet is turned off, on and restored; what the API server defaults is not a use', async () => {
  await apply(aStatefulSet('chosen', 2));
  await apply(aStatefulSet('plain'));
  expect(await maxUnavailableOf('plain')).toBe('1');
  await eventually('it is on', async () => (await feature()).state === 'On', 120_000);

  const off = await real.slipway('feature', 'off', gate, '--yes');
  expect(off, off.stderr).toMatchObject({ code: 0 });
  await eventually('a new use is denied', async () =>
    (await tryOut(aStatefulSet('new', 2))).includes(`the feature ${gate} is off`),
  );
  expect(await tryOut(aStatefulSet('new'))).toBe('');
  // Tried with dry runs, in a namespace where nothing is.
  await eventually('the guard is proven', async () => (await feature()).guard?.verifiedReplicas === 1);
  expect((await real.kubectl(['get', 'statefulsets,pods', '-n', 'slipway-trials', '-o', 'name'])).stdout).toBe('');
  // Before the server could clear anything.
  const cleared = Number((await real.kubectl(['get', 'statefulset', 'chosen', '-o', generation])).stdout) + 1;
  await real.restart(`${gate}=false`);
  await eventually('it is turning off', async () => (await feature()).state === 'TurningOff', 120_000);
  await rollServers();
  await eventually('it is off', async () => (await feature()).state === 'Off', 240_000);
  expect(await maxUnavailableOf('chosen')).toBe('');
  // Each step was taken, whichever server took it, and none had an effect twice.
  expect((await real.kubectl(['get', 'statefulset', 'chosen', '-o', generation])).stdout).toBe(`${cleared}`);
  expect((await feature()).history?.[0]).toMatchObject({ to: 'Off', result: 'Completed' });
  expect(await tryOut(aStatefulSet('new'))).toBe('');

  await real.restart(`${gate}=true`);
  // An API server that has just started does not serve custom resources at once.
  await eventually('it is asked to be on', async () => (await real.slipway('feature', 'on', gate, '--yes')).code === 0);
  await eventually('it is on again', async () => (await feature()).state === 'On', 240_000);
  // An API server may enforce a guard for a moment after it was removed: the command waits for that.
  expect((await real.slipway('feature', 'restore', gate, '--yes')).stdout).toContain('Restored 1 of 1 values');
  expect([await maxUnavailableOf('chosen'), await maxUnavailableOf('plain')]).toEqual(['2', '1']);
}, 600_000);

test('who administers one namespace has the feature server do nothing outside of it', async () => {
  const mallory = ['--as', 'mallory'];
  for (const namespace of ['tenant', 'shop'])
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await apply(aSecret('shop'));
  for (const role of ['admin', 'slipway-features-author', 'slipway-features-editor']) {
    const binding = ['create', 'rolebinding', role, '--clusterrole', role, '--user', 'mallory', '-n', 'tenant'];
    expect(await real.kubectl(binding)).toMatchObject({ code: 0 });
  }
  const forged = { username: 'root', groups: ['system:masters'] };
  const greedy = aDefinition('Greedy', 'Cluster', { group: '', resource: 'secrets', path: 'data.password' });
  await eventually('mallory may not write what she may not read', async () => {
    const hers = await withAuthor(real, greedy, 'mallory');
    const { stderr } = await real.kubectl(['apply', '-f', '-', ...mallory], hers);
    return stderr.includes('user mallory may not list secrets in the whole cluster');
  });
  await apply(await withAuthor(real, greedy));
  const patch = JSON.stringify({ author: forged });
  const forging = await real.kubectl([
    'patch',
    'featuredefinition',
    'greedy',
    '-n',
    'tenant',
    '--type',
    'merge',
    '-p',
    patch,
    ...mallory,
  ]);
  expect(forging.stderr).toContain('author must be the user who writes the spec, which is mallory');

  // A merge patch keeps what it does not name, and the author is replaced as a whole.
  const { author, ...wish } = await withAuthor(real, { spec: { desired: 'Off' } }, 'mallory');
  const wanted = JSON.stringify({ ...wish, author: { uid: null, extra: null, ...author } });
  const flip = ['patch', 'feature', 'greedy', '-n', 'tenant', '--type', 'merge', '-p', wanted];
  await eventually('mallory wants it off', async () => {
    const flipped = await real.kubectl([...flip, ...mallory]);
    if (flipped.code !== 0) throw new Error(flipped.stderr);
    return true;
  });
  const blocked = await eventually(
    'the server says which right is missing',
    async () => {
      const { conditions } = await feature('greedy', 'tenant');
      return conditions.find(({ type, status }) => type === 'Blocked' && status === 'True')?.message;
    },
    120_000,
  );
  expect(blocked).toMatch(/user mallory, who wrote the Feature, may not create validatingadmissionpolicies/);
  const guards = await real.kubectl([
    'get',
    'validatingadmissionpolicies',
    '-l',
    'features.slipway.dev/guard-namespace=tenant',
    '-o',
    'name',
  ]);
  expect(guards.stdout).toBe('');
  expect(
    (await real.kubectl(['get', 'secrets', '-A', '-l', 'features.slipway.dev/backup=greedy', '-o', 'name'])).stdout,
  ).toBe('');
  expect(
    (await real.kubectl(['get', 'secret', 'shop', '-n', 'shop', '-o', 'jsonpath={.data.password}'])).stdout,
  ).not.toBe('');
  expect(await tryOut(aSecret('shop', 'another'))).toBe('');
}, 600_000);

test('slipway uninstall leaves every other object as it was before Slipway was installed and used', async () => {
  const removed = await real.slipway('uninstall', '-o', 'json');
  expect(removed, removed.stderr).toMatchObject({ code: 0 });
  const { staying } = JSON.parse(removed.stdout) as { readonly staying: readonly { readonly object: string }[] };
  // What the two tests above wrote themselves.
  for (const words of [
    ['statefulset', 'chosen', 'plain'],
    ['namespace', 'tenant', 'shop'],
    ['node', hostname()],
  ])
    expect(await real.kubectl(['delete', ...words])).toMatchObject({ code: 0 });
  expect(await real.kubectl(['delete', 'crd', '-l', 'app.kubernetes.io/part-of=slipway'])).toMatchObject({ code: 0 });
  const named = new Set(staying.map(({ object }) => object));
  const left = async () => {
    const found = differences(before, await clusterSnapshot(real));
    return found.filter((line) => {
      const [, object = '', namespace = ''] = /^(\S+ (?:([^/\s]+)\/)?\S+) is new$/.exec(line) ?? [];
      return !named.has(object) && !named.has(`Namespace ${namespace}`);
    });
  };
  await eventually(
    'everything else is as it was',
    async () => {
      const lines = await left();
      if (lines.length > 0) throw new Error(lines.join('\n'));
      return true;
    },
    120_000,
  );
}, 300_000);

/** Replaces the feature server by another one and that one by the first, as a rolling update does. */
async function rollServers(): Promise<void> {
  servers.two = serve('two');
  await eventually('the second server runs', async () => real.log('two').includes('feature-server'), 60_000);
  await servers.one?.end();
  servers.one = serve('one');
  await eventually(
    'the first server runs again',
    async () => real.log('one').match(/health at/g)?.length === 2,
    60_000,
  );
  await servers.two.end();
}

interface Status {
  readonly state?: string;
  readonly history?: readonly object[];
  readonly guard?: { readonly verifiedReplicas: number };
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly message: string }[];
}

async function feature(which = name, namespace = 'kube-system'): Promise<Status> {
  const { stdout } = await real.kubectl(['get', 'feature', which, '-n', namespace, '-o', 'json']);
  return { conditions: [], ...JSON.parse(stdout).status };
}

async function apply(object: object, ...more: string[]): Promise<void> {
  const applied = await real.kubectl(['apply', '-f', '-', ...more], object);
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
}

/** What the API server says against creating an object, without creating it. */
async function tryOut(object: object): Promise<string> {
  return (await real.kubectl(['create', '--dry-run=server', '-f', '-'], object)).stderr;
}

async function maxUnavailableOf(set: string): Promise<string> {
  return (await real.kubectl(['get', 'statefulset', set, '-o', field])).stdout;
}

function aStatefulSet(called: string, maxUnavailable?: number): object {
  const labels = { app: called };
  const rollingUpdate = { ...(maxUnavailable !== undefined && { maxUnavailable }) };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: called, namespace: 'default' },
    spec: {
      replicas: 0,
      serviceName: called,
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }] } },
    },
  };
}

function aSecret(namespace: string, called = namespace): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: called, namespace },
    stringData: { password: 'hidden' },
  };
}

function aDefinition(called: string, scope: string, reference: object): object {
  return {
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'FeatureDefinition',
    metadata: { name: called.toLowerCase(), namespace: 'tenant' },
    spec: {
      gate: called,
      scope,
      cleanup: 'Automatic',
      components: [{ name: 'a', required: false, roster: 'Self' }],
      stages: [{ version: '1.0', stage: 'Alpha', default: false }],
      references: [reference],
      tasks: { off: [{ kind: 'ClearField', args: reference }] },
    },
  };
}
