import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, freeGates, type RunningCluster, slipway, up } from '../support/slipway.js';

const fixtures = fileURLToPath(new URL('../../packages/kep/testdata/rules/base/', import.meta.url));
let cluster: RunningCluster;
let root: string;
let at: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'slipway-verify-'));
  at = join(root, 'keps/sig-demo/42-demo');
  mkdirSync(at, { recursive: true });
  mkdirSync(join(root, '.slipway'));
  writeFileSync(join(root, '.slipway/kep.yaml'), 'template: template.md\nrules: { KEP711: error }\n');
  cpSync(join(fixtures, 'template.md'), join(root, 'template.md'));
  cpSync(join(fixtures, 'README.md'), join(at, 'README.md'));
  cluster = await up({ kubernetes: freeGates, nodes: 1 });
  await eventually('the gate is announced', async () => {
    const { stdout } = await cluster.slipway(['feature', 'get', 'MaxUnavailableStatefulSet', '-o', 'json']);
    return /"on": ?\d|"off": ?[1-9]/.test(stdout);
  });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

/** Writes metadata that claims a gate and a metric. */
function claim(gate: string, stage: string, metric: string): void {
  const yaml = readFileSync(join(fixtures, 'kep.yaml'), 'utf8');
  const claimed = yaml
    .replaceAll('LouderBells', gate)
    .replace('- kubelet', '- kube-controller-manager')
    .replace('stage: beta', `stage: ${stage}`)
    .replace('bells_rung_total', metric);
  writeFileSync(join(at, 'kep.yaml'), claimed);
  const readme = readFileSync(join(fixtures, 'README.md'), 'utf8');
  writeFileSync(
    join(at, 'README.md'),
    readme
      .replaceAll('LouderBells', gate)
      .replace('gate: kubelet', 'gate: kube-controller-manager')
      .replaceAll('bells_rung_total', metric),
  );
}
const verify = (...args: string[]) => cluster.slipway(['kep', 'verify', '42', '--root', root, ...args]);

test('claims that hold are verified, and the evidence of it is a file that the rules read', async () => {
  claim('MaxUnavailableStatefulSet', 'alpha', 'apiserver_request_total{verb}');
  const done = await verify('--write');
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toMatch(/^gate\/MaxUnavailableStatefulSet +verified/m);
  expect(done.stdout).toMatch(/^gate\/MaxUnavailableStatefulSet\/kube-controller-manager +verified/m);
  expect(done.stdout).toMatch(/^gate-stage\/MaxUnavailableStatefulSet +verified +the cluster says alpha$/m);
  expect(done.stdout).toMatch(/^metric\/apiserver_request_total +verified/m);
  expect(done.stdout).toMatch(/^disable-supported +skipped/m);
  expect(done.stdout).toMatch(/asked v1\.\d+\.\d+, a simulated cluster\n$/);
  const [name = ''] = readdirSync(join(at, 'evidence'));
  expect(name).toMatch(/^alpha-v1\.\d+\.\d+-\d{8}\.yaml$/);
  const rules = ['KEP711', 'KEP713', 'KEP715'].flatMap((rule) => ['--rule', rule]);
  expect((await slipway(['kep', 'check', '42', '--root', root, ...rules])).code).toBe(0);
  const path = join(at, 'evidence', name);
  writeFileSync(path, readFileSync(path, 'utf8').replace('skipped', 'verified'));
  const edited = await slipway(['kep', 'check', '42', '--root', root, ...rules]);
  expect([edited.code, edited.stdout]).toEqual([
    1,
    expect.stringMatching(/KEP715 +evidence\/alpha-.* was changed by hand/),
  ]);
});

test('what does not hold is refuted, and what cannot be observed is not', async () => {
  claim('MaxUnavailableStatefulSets', 'alpha', 'nobody_has_this_total');
  const wrong = await verify('-o', 'json');
  expect(wrong.code).toBe(1);
  const { claims } = JSON.parse(wrong.stdout) as { claims: { id: string; result: string; detail: string }[] };
  expect(claims).toContainEqual(
    expect.objectContaining({
      id: 'gate/MaxUnavailableStatefulSets',
      result: 'refuted',
      detail: expect.stringMatching(/it knows MaxUnavailableStatefulSet$/),
    }),
  );
  expect(claims).toContainEqual(
    expect.objectContaining({ id: 'metric/nobody_has_this_total', result: 'unobservable' }),
  );
  const unseen = await verify('--only', 'metric/nobody_has_this_total');
  expect([unseen.code, unseen.stderr]).toEqual([
    3,
    expect.stringMatching(/^To fix: use the feature .*--allow-inconclusive/),
  ]);
  expect((await verify('--only', 'metric/nobody_has_this_total', '--allow-inconclusive')).code).toBe(0);
  expect((await verify('--only', 'gate/None')).code).toBe(2);
});

test('an author sees the claims without a cluster, and a cluster that is away is said so', async () => {
  claim('MaxUnavailableStatefulSet', 'alpha', 'apiserver_request_total');
  const explained = await slipway(['kep', 'verify', '42', '--root', root, '--explain']);
  expect(explained.stdout).toMatch(
    /^```slipway-check\n- \{ kind: gate-exists, subject: "MaxUnavailableStatefulSet" \}/,
  );
  const away = join(root, 'away');
  writeFileSync(
    away,
    readFileSync(cluster.kubeconfig, 'utf8').replace(/https:\/\/127\.0\.0\.1:\d+/, 'https://127.0.0.1:1'),
  );
  expect((await slipway(['kep', 'verify', '42', '--root', root, '--kubeconfig', away])).code).toBe(4);
});
