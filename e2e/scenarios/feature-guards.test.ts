import { customResourceDefinition } from '@slipway/kube';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { reportingProcess } from '../support/reporting-process.js';
import { eventually, type RunningCluster, up } from '../support/slipway.js';

// Custom resources keep a field whatever gates say, so here it is the guard alone that keeps new uses out.

let cluster: RunningCluster;
beforeAll(async () => {
  if (!hasPart('kubectl')) return;
  cluster = await up({ nodes: 1 });
  await apply(crd);
  await eventually('widgets are served', async () => (await kubectl('get', 'widgets', '-A')).code === 0);
}, 60_000);
afterAll(async () => await cluster?.[Symbol.asyncDispose]());

beforeEach((context) => needs(context, 'kubectl'));

test('what used a feature may keep it or lose it; nothing else may begin to, while it is off', async () => {
  await declare('FastWidgets', { references: [fast], tasks: { off: [{ kind: 'WaitForNoObjects', args: fast }] } });
  await apply(widget('old', true));
  await using _process = await reportingProcess(cluster, 'FastWidgets', 'default');
  await turned('FastWidgets', 'on');
  const asked = await cluster.slipway(['feature', 'off', 'FastWidgets', '-n', 'default', '--yes']);
  expect(asked, asked.stderr).toMatchObject({ code: 0 });

  await eventually(
    'a new use is refused',
    async () => (await apply(widget('new', true), '--dry-run=server')).code !== 0,
  );
  const refused = await apply(widget('new', true));
  expect(refused.stderr).toContain('spec.fast may not be set while the feature FastWidgets is off or being turned off');
  expect(refused.stderr).toContain('slipway feature get fastwidgets -n default');
  expect(await kubectl('label', 'widget', 'old', 'touched=yes')).toMatchObject({ code: 0 });
  expect(await apply(widget('plain', undefined))).toMatchObject({ code: 0 });

  await eventually('the guard is proved, and what is still there is waited for', async () => {
    const { stdout } = await cluster.slipway(['feature', 'get', 'FastWidgets', '-n', 'default']);
    return /GuardActive +True +Guarded/.test(stdout) && /Blocked +True +ObjectsRemain/.test(stdout);
  });

  // Turned on half-way: the guard goes, and nothing was lost.
  await turned('FastWidgets', 'on');
  expect(await apply(widget('new', true))).toMatchObject({ code: 0 });
  expect((await kubectl('get', 'validatingadmissionpolicies', '-o', 'name')).stdout).not.toContain('fastwidgets');
}, 90_000);

test('a tool that applies the field again and again is kept out, and does not stop the cleaning', async () => {
  await declare('QuickWidgets', {
    references: [{ ...fast, path: 'spec.quick' }],
    tasks: { off: [{ kind: 'ClearField', args: { ...fast, path: 'spec.quick' } }] },
  });
  await using _process = await reportingProcess(cluster, 'QuickWidgets', 'default');
  await turned('QuickWidgets', 'on');
  const wanted = { ...widget('gitops', undefined), spec: { quick: true } };
  const sync = () => apply(wanted, '--server-side', '--field-manager=argocd-controller', '--force-conflicts');
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await cluster.slipway(['feature', 'off', 'QuickWidgets', '-n', 'default', '--yes'])).toMatchObject({
    code: 0,
  });
  let refusals = 0;
  await eventually('the feature is off, whatever is applied', async () => {
    if ((await sync()).code !== 0) refusals++;
    return (await state('quickwidgets')) === 'Off';
  });
  expect(refusals).toBeGreaterThan(0);
  expect((await kubectl('get', 'widget', 'gitops', '-o', 'jsonpath={.spec.quick}')).stdout).toBe('');
}, 90_000);

test('what is wrong with a definition is said before anything is done', async () => {
  await declare('Circular', { dependsOn: ['Round'] });
  await declare('Round', { dependsOn: ['Circular'] });
  await declare('Immutable', {
    references: [{ group: '', resource: 'pods', path: 'spec.hostUsers' }],
    tasks: { off: [{ kind: 'ClearField', args: { group: '', resource: 'pods', path: 'spec.hostUsers' } }] },
  });
  await declare('Unreadable', { references: [{ ...fast, path: 'spec..fast' }] });
  await declare('Unknown', { tasks: { off: [{ kind: 'Explode' }] } });
  // gate | what is said
  const cases = [
    ['Circular', 'Circular -> Round -> Circular'],
    ['Immutable', 'spec of pods is immutable'],
    ['Unreadable', 'wrong at character 6'],
    ['Unknown', 'no task of kind Explode; there are: ClearField'],
  ] as const;
  for (const [gate, said] of cases) {
    await eventually(`${gate} is blocked`, async () => {
      const blocked = await condition(gate.toLowerCase(), 'Blocked');
      return blocked.startsWith('True Definition') && blocked.includes(said);
    });
  }
}, 60_000);

test('a transition is held and let go on; what is still used can be cleaned on its own', async () => {
  await declare('SlowWidgets', {
    cleanup: 'Manual',
    references: [{ ...fast, path: 'spec.slow' }],
    tasks: { off: [{ kind: 'ClearField', args: { ...fast, path: 'spec.slow' } }] },
  });
  await apply({ ...widget('slow', undefined), spec: { slow: true } });
  await using _process = await reportingProcess(cluster, 'SlowWidgets', 'default');
  await eventually('it is off, and one object uses it', async () =>
    (await condition('slowwidgets', 'DanglingReferences')).startsWith('True'),
  );

  const plan = await cluster.slipway(['feature', 'clean', 'SlowWidgets', '-n', 'default']);
  expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('Objects that use it now: 1') });
  expect(await state('slowwidgets')).toBe('Off');
  const done = await cluster.slipway(['feature', 'clean', 'SlowWidgets', '-n', 'default', '--yes', '--timeout=40s']);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect((await kubectl('get', 'widget', 'slow', '-o', 'jsonpath={.spec.slow}')).stdout).toBe('');
  const again = await cluster.slipway(['feature', 'clean', 'SlowWidgets', '-n', 'default', '--yes']);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing uses it') });

  expect(await cluster.slipway(['feature', 'pause', 'SlowWidgets', '-n', 'default'])).toMatchObject({ code: 0 });
  await cluster.slipway(['feature', 'on', 'SlowWidgets', '-n', 'default', '--yes']);
  await eventually('it is held', async () => (await condition('slowwidgets', 'Blocked')).startsWith('True Paused'));
  expect(await cluster.slipway(['feature', 'resume', 'SlowWidgets', '-n', 'default'])).toMatchObject({ code: 0 });
  await eventually('it goes on', async () => (await state('slowwidgets')) === 'On');
}, 90_000);

const fast = { group: 'acme.io', resource: 'widgets', path: 'spec.fast' };

const crd = customResourceDefinition({
  resource: { group: 'acme.io', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true },
  spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
});

function widget(name: string, isFast: boolean | undefined) {
  const spec = isFast === undefined ? {} : { fast: isFast };
  return { apiVersion: 'acme.io/v1', kind: 'Widget', metadata: { name, namespace: 'default' }, spec };
}

function kubectl(...args: string[]) {
  return cluster.kubectl(args);
}

function apply(object: object, ...args: string[]) {
  return cluster.kubectl(['apply', '-f', '-', ...args], { stdin: JSON.stringify(object) });
}

async function declare(gate: string, spec: object): Promise<void> {
  const declared = await apply({
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'FeatureDefinition',
    metadata: { name: gate.toLowerCase(), namespace: 'default' },
    spec: {
      gate,
      components: [{ name: 'acme-operator', roster: 'Self' }],
      dynamic: 'Live',
      cleanup: 'Automatic',
      exercise: [{ ...widget('example', true), spec: { fast: true, quick: true, slow: true } }],
      ...spec,
    },
  });
  expect(declared, declared.stderr).toMatchObject({ code: 0 });
  const announced = async () => (await kubectl('get', 'feature', gate.toLowerCase())).code === 0;
  await eventually('it is announced', announced);
}

async function turned(gate: string, to: 'on' | 'off'): Promise<void> {
  const done = await cluster.slipway(['feature', to, gate, '-n', 'default', '--yes', '--timeout=30s']);
  expect(done, done.stderr).toMatchObject({ code: 0 });
}

async function state(name: string): Promise<string> {
  return (await kubectl('get', 'feature', name, '-o', 'jsonpath={.status.state}')).stdout;
}

async function condition(name: string, type: string): Promise<string> {
  const path = `{range .status.conditions[?(@.type=="${type}")]}{.status} {.reason} {.message}{end}`;
  return (await kubectl('get', 'feature', name, '-o', `jsonpath=${path}`)).stdout;
}
