import { expect, test } from 'vitest';
import { eventually, freeGates, slipway, up } from '../support/slipway.js';

test('upgrade check says what comes on, what blocks, and what it did not look at', async () => {
  await using cluster = await up({
    kubernetes: freeGates,
    nodes: 1,
    args: ['--ephemeral', '--component-gates', 'kube-controller-manager:MaxUnavailableStatefulSet=false'],
  });
  const check = (...args: string[]) => cluster.slipway(['upgrade', 'check', ...args]);
  await eventually('every component has reported', async () => {
    const { stdout } = await check('--to', 'v1.35', '-o', 'json');
    return JSON.parse(stdout).coverage.processes === 4;
  });

  const next = await check('--to', 'v1.35', '-o', 'json');
  const verdict = JSON.parse(next.stdout);
  expect(verdict).toMatchObject({ from: '1.34', to: '1.35', path: ['1.35'], verdict: 'Warnings' });
  expect(verdict.findings).toContainEqual(expect.objectContaining({ check: 'U003', gate: 'ImageVolume' }));
  expect(next.code).toBe(0);
  expect((await check('--to', 'v1.35', '--strict')).code).toBe(1);

  const table = await check('--to', '1.37');
  expect(table.stdout).toMatch(/v1\.34 to v1\.37 \(by way of v1\.35, v1\.36\)/);
  expect(table.stdout).toMatch(/^Not analysed: objects of custom resources/m);
  expect(table.stdout).not.toMatch(/\bsafe\b/i);
  expect(table.stdout).toMatch(/^Not analysed: kube-proxy: no process of it reports/m);

  const sarif = JSON.parse((await check('--to', '1.37', '-o', 'sarif')).stdout);
  expect(sarif.runs[0].results.length).toBeGreaterThan(0);
  expect(sarif.runs[0].invocations[0].toolExecutionNotifications.length).toBeGreaterThan(0);

  // Too far for its kubelets, and beyond what is known.
  const unknown = await check('--to', 'v1.38');
  expect(unknown.code).toBe(1);
  expect(unknown.stdout).toMatch(/^To fix: U009: upgrade them on the way, to v1\.35 or later/m);
  expect(unknown.stdout).toMatch(/U017 +unknown +<none> +gates are known up to v1\.37/);
  expect(unknown.stdout).toContain('v1.34 to v1.38 (by way of v1.35, v1.36, v1.37): ');

  // On the way back a kubelet that stays is too new.
  const back = await check('--to', 'v1.33');
  expect(back).toMatchObject({ code: 1 });
  expect(back.stdout).toMatch(/U009 +blocker .*may not be newer than the API server/);
  expect(back.stdout).toMatch(/^To fix: U009/m);
});

test.each([
  [['--to', 'soon'], 'a version looks like v1.35'],
  [['--to', 'v1.99'], 'gates are known from v1.33'],
  [[], "required option '--to"],
])('upgrade check %j is wrong usage', async (args, message) => {
  const done = await slipway(['upgrade', 'check', ...args]);
  expect(done.code).toBe(2);
  expect(done.stderr).toContain(message);
});

/** An alpha collection whose next version means something else by what is stored: its author has it emptied on the way. */
const kites = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: kites.toys.example.com }
spec:
  group: toys.example.com
  scope: Namespaced
  names: { plural: kites, singular: kite, kind: Kite }
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: features.slipway.dev/v1alpha1
kind: FeatureDefinition
metadata: { name: kiteflying, namespace: kube-system }
spec:
  gate: KiteFlying
  components: [{ name: kube-apiserver, required: false, roster: APIServers }]
  references: [{ group: toys.example.com, resource: kites, kind: Object }]
  tasks:
    upgrade:
      - { from: "1.34", to: "1.35", name: empty-kites, kind: ClearCollection, args: { group: toys.example.com, resource: kites } }
`;
const kite = (name: string) => `apiVersion: toys.example.com/v1alpha1
kind: Kite
metadata: { name: ${name}, namespace: default }
`;

test('an alpha collection blocks the upgrade until its author’s task has emptied it, with consent', async () => {
  await using cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral'] });
  const upgrade = async (...args: string[]) => cluster.slipway(['upgrade', ...args]);
  const found = async () => {
    const { stdout } = await upgrade('check', '--to', 'v1.35', '-o', 'json');
    const { findings } = JSON.parse(stdout) as { findings: { check: string; gate?: string }[] };
    return findings.filter(({ gate }) => gate === 'KiteFlying').map(({ check }) => check);
  };
  await cluster.kubectl(['apply', '-f', '-'], { stdin: kites });
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd/kites.toys.example.com']);
  await eventually('the definition to be known', async () => (await found()).join() === 'U011');
  await cluster.kubectl(['apply', '-f', '-'], { stdin: `${kite('red')}---\n${kite('blue')}` });
  expect(await found()).toEqual(['U006', 'U011']);

  // Printed first; nothing is done without consent.
  const plan = await upgrade('prepare', '--to', 'v1.35');
  expect(plan).toMatchObject({ code: 0 });
  expect(plan.stdout).toMatch(/^KiteFlying +empty-kites +before +yes +2 +Open$/m);
  expect(plan.stderr).toMatch(/Nothing was done\. To do it: slipway upgrade prepare --to v1\.35 --yes/);
  expect((await cluster.kubectl(['get', 'kites', '-o', 'name'])).stdout.trim().split('\n')).toHaveLength(2);

  expect(await upgrade('prepare', '--to', 'v1.35', '--yes', '--wait')).toMatchObject({ code: 0 });
  expect((await cluster.kubectl(['get', 'kites', '-o', 'name'])).stdout).toBe('');
  expect(await found()).toEqual([]);
  expect((await upgrade('prepare', '--to', 'v1.35')).stdout).toMatch(/empty-kites +before +yes +0 +Done$/m);

  // What appears later is not a dead end: it blocks, and the same command prepares once more.
  await cluster.kubectl(['apply', '-f', '-'], { stdin: kite('green') });
  expect(await found()).toEqual(['U006']);
  expect((await upgrade('prepare', '--to', 'v1.35')).stdout).toMatch(/empty-kites +before +yes +1 +Again$/m);
  expect(await upgrade('prepare', '--to', 'v1.35', '--yes', '--wait')).toMatchObject({ code: 0 });
  expect((await cluster.kubectl(['get', 'kites', '-o', 'name'])).stdout).toBe('');
  expect(await found()).toEqual([]);

  expect((await upgrade('prepare', '--to', 'v1.36', '-o', 'json')).stdout).toContain('"state": "Open"');
  expect((await upgrade('prepare', '--to', 'v1.33')).stdout).toBe(
    'No definition wants anything done on the way to v1.33.\n',
  );
}, 240_000);

test('prepare is refused while the definition is not accepted, and leaves no consent for when it is repaired', async () => {
  await using cluster = await up({ kubernetes: freeGates, nodes: 1, args: ['--ephemeral'] });
  const upgrade = async (...args: string[]) => cluster.slipway(['upgrade', ...args]);
  await cluster.kubectl(['apply', '-f', '-'], { stdin: kites });
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd/kites.toys.example.com']);
  await cluster.kubectl(['apply', '-f', '-'], { stdin: kite('yellow') });
  await cluster.kubectl(['apply', '-f', '-'], { stdin: kites.replace('kind: ClearCollection', 'kind: Nope') });
  await eventually('the definition is not accepted', async () => {
    const { stdout } = await cluster.slipway(['feature', 'get', 'KiteFlying']);
    return stdout.includes('no task of kind Nope');
  });
  const refused = await upgrade('prepare', '--to', 'v1.35', '--yes', '--wait');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toMatch(
    /nothing can be done to KiteFlying: its definition is not accepted: no task of kind Nope/,
  );
  await cluster.kubectl(['apply', '-f', '-'], { stdin: kites });
  await eventually('the repaired definition is accepted', async () => {
    const { stdout } = await cluster.slipway(['feature', 'get', 'KiteFlying']);
    return !stdout.includes('no task of kind Nope');
  });
  expect((await cluster.kubectl(['get', 'kites', '-o', 'name'])).stdout.trim()).toBe('kite.toys.example.com/yellow');
}, 240_000);
