import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findHelm, hasPart, needs } from '../../tools/real-parts.js';
import { helmChart } from '../../tools/release/helm-chart.js';
import { installManifest, placeholderImage } from '../../tools/release/manifests.js';
import { type ClusterSnapshot, clusterSnapshot, differences, settledSnapshot } from '../support/cluster-snapshot.js';
import { type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { eventually, type Outcome, repository } from '../support/slipway.js';

// Every way of installing, on a real API server: the second time changes nothing, and `slipway uninstall` leaves the
// cluster as it was.

const image = placeholderImage('0.1.0');
const deploy = join(repository, 'deploy');

let real: RealKubernetes;
let folder: string;
let before: ClusterSnapshot;
beforeAll(async () => {
  if (!hasPart('real Kubernetes') || !hasPart('kubectl')) return;
  folder = mkdtempSync(join(tmpdir(), 'slipway-install-'));
  writeFileSync(join(folder, 'install.yaml'), installManifest(image));
  for (const [path, text] of helmChart('0.1.0')) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  real = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  before = await settledSnapshot(real);
}, 400_000);
afterAll(async () => {
  await real?.[Symbol.asyncDispose]();
  if (folder) rmSync(folder, { recursive: true });
});

beforeEach((context) => {
  needs(context, 'real Kubernetes');
  needs(context, 'kubectl');
});

const ways: [string, () => Promise<Outcome>][] = [
  ['slipway install', () => real.slipway('install', '--image', image, '--guards')],
  ['slipway install --namespace', () => real.slipway('install', '--image', image, '--namespace', 'elsewhere')],
  ['kubectl apply -R -f deploy', () => real.kubectl(['apply', '-R', '-f', deploy])],
  ['kubectl apply -k deploy', () => real.kubectl(['apply', '-k', deploy])],
  ['kubectl apply -f install.yaml', () => real.kubectl(['apply', '--server-side', '-f', join(folder, 'install.yaml')])],
];

test.each(ways)(
  '%s twice is once, and slipway uninstall removes all of it',
  async (_, install) => {
    const first = await install();
    expect(first, first.stderr).toMatchObject({ code: 0 });
    expect(first.stderr).not.toMatch(/warning/i);
    const installed = await settledSnapshot(real);
    expect(differences(before, installed).length).toBeGreaterThan(40);
    expect(await install()).toMatchObject({ code: 0 });
    expect(differences(installed, await clusterSnapshot(real))).toEqual([]);
    await uninstall();
  },
  300_000,
);

test('slipway uninstall removes what Helm installed, and names what is for Helm to remove', async (context) => {
  needs(context, 'Helm');
  const helm = (...words: string[]) => real.run(findHelm() ?? '', [...words, '--namespace', 'slipway-system']);
  const install = () =>
    helm('upgrade', '--install', 'slipway', join(folder, 'slipway'), '--create-namespace', '--set', `image=${image}`);
  expect(await install()).toMatchObject({ code: 0 });
  const installed = await settledSnapshot(real);
  expect(await install()).toMatchObject({ code: 0 });
  const changed = differences(installed, await clusterSnapshot(real));
  expect(changed.filter((line) => !line.startsWith('Secret slipway-system/sh.helm.release.v1.slipway.'))).toEqual([]);
  const removed = await real.slipway('uninstall');
  expect(removed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('helm uninstall slipway -n slipway-system'),
  });
  expect(await helm('uninstall', 'slipway')).toMatchObject({ code: 0 });
  expect(await real.kubectl(['delete', 'namespace', 'slipway-system'])).toMatchObject({ code: 0 });
  await uninstall();
}, 300_000);

test('slipway uninstall goes on where it was stopped half way, and says what is left', async () => {
  expect(await real.slipway('install', '--image', image)).toMatchObject({ code: 0 });
  await apply(anUndeletable('clusterroles', 'slipway-features-viewer'));
  await eventually('the role cannot be deleted', async () => {
    const { stderr } = await real.kubectl(['delete', 'clusterrole', 'slipway-features-viewer', '--dry-run=server']);
    return stderr.includes('it is kept');
  });
  const stopped = await real.slipway('uninstall');
  expect(stopped.code).toBe(4);
  expect(stopped.stderr).toMatch(/ClusterRole slipway-features-viewer.*it is kept/);
  const left = await real.slipway('uninstall', '--dry-run');
  expect(left.stdout).toMatch(/^delete ClusterRole slipway-features-viewer$/m);
  expect(left.stdout.match(/^delete .*$/gm)?.filter((line) => !line.includes('Namespace'))).toHaveLength(1);
  await real.kubectl(['delete', 'validatingadmissionpolicies,validatingadmissionpolicybindings', 'keep']);
  await eventually('the second run gets through', async () => (await real.slipway('uninstall')).code === 0);
  await uninstall();
}, 300_000);

async function uninstall(): Promise<void> {
  const removed = await real.slipway('uninstall');
  expect(removed, removed.stderr).toMatchObject({ code: 0 });
  await removeDefinitions();
  await eventually('the cluster is as it was', leftovers, 120_000);
}

/** As the last line of `slipway uninstall` has it. */
async function removeDefinitions(): Promise<void> {
  expect(await real.kubectl(['delete', 'crd', '-l', 'app.kubernetes.io/part-of=slipway'])).toMatchObject({ code: 0 });
}

async function leftovers(): Promise<boolean> {
  const found = differences(before, await clusterSnapshot(real));
  if (found.length > 0) throw new Error(found.join('\n'));
  return true;
}

async function apply(objects: readonly object[]): Promise<void> {
  const outcome = await real.kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items: objects });
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
}

/** A policy that denies the deletion of one object. */
function anUndeletable(resource: string, name: string): readonly object[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name: 'keep' };
  const rule = {
    apiGroups: ['*'],
    apiVersions: ['*'],
    resources: [resource],
    resourceNames: [name],
    operations: ['DELETE'],
  };
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'false', message: 'it is kept' }],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: 'keep', validationActions: ['Deny'] },
    },
  ];
}
