import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vectorName } from '@slipway/feature-gates';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { authorStampManifest, installManifest, placeholderImage } from '../../tools/release/manifests.js';
import { type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { eventually } from '../support/slipway.js';

// The manifests of a release on a real API server: its admission of them, its authorization, its discovery.

const image = placeholderImage('0.1.0');
const apiVersion = 'features.slipway.dev/v1alpha1';
const account = 'system:serviceaccount:slipway-system:slipway-feature-server';
const maxReports = 2;
/** The minor version from which on the API server fills in authors. */
const stampedFrom = 36;

let real: RealKubernetes;
let folder: string;
let server: string;
let applied: string;
beforeAll(async () => {
  if (!hasPart('real Kubernetes') || !hasPart('kubectl')) return;
  folder = mkdtempSync(join(tmpdir(), 'slipway-manifests-'));
  real = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  const files = {
    'install.yaml': installManifest(image),
    ...(real.minor >= stampedFrom && { 'author-stamp.yaml': authorStampManifest() }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const how = ['apply', '--server-side', '--field-manager', 'slipway-install'];
  const outcome = await real.kubectl([...how, ...Object.keys(files).flatMap((name) => ['-f', join(folder, name)])]);
  expect(outcome).toMatchObject({ code: 0 });
  applied = outcome.stderr;
  const token = await real.kubectl(['-n', 'slipway-system', 'create', 'token', 'slipway-feature-server']);
  server = token.stdout;
  real.start(server, 'run', 'feature-server', '--listen', '127.0.0.1:0', '--max-reports', `${maxReports}`);
}, 180_000);
afterAll(async () => {
  await real?.[Symbol.asyncDispose]();
  if (folder) rmSync(folder, { recursive: true });
});

beforeEach((context) => {
  needs(context, 'real Kubernetes');
  needs(context, 'kubectl');
});

test('install.yaml and author-stamp.yaml are applied without a warning, and are what slipway install applies', async () => {
  expect(applied).toBe('');
  const again = await real.slipway('install', '--image', image);
  expect(again).toEqual({ code: 0, stdout: 'Everything is already installed.\n', stderr: '' });
});

test('author-stamp.yaml fills in who writes a definition, and no other author can be named', async () => {
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tenant' } });
  const binding = ['create', 'rolebinding', 'author', '--clusterrole', 'slipway-features-author', '--user', 'mallory'];
  expect(await real.kubectl([...binding, '-n', 'tenant'])).toMatchObject({ code: 0 });
  const write = (definition: object) => real.kubectl(['create', '-f', '-', '--as', 'mallory'], definition);
  if (real.minor < stampedFrom) {
    const isTold = async () =>
      (await write(aDefinition('plain'))).stderr.includes('author must be the user who writes');
    await eventually('mallory has to name herself', isTold);
    return;
  }
  await eventually('mallory writes a definition', async () => (await write(aDefinition('plain'))).code === 0);
  const forged = { ...aDefinition('forged'), author: { username: 'root', groups: ['system:masters'] } };
  await write(forged);
  for (const name of ['plain', 'forged']) {
    const { stdout } = await real.kubectl(['get', 'featuredefinition', name, '-n', 'tenant', '-o', 'json']);
    expect(JSON.parse(stdout).author, name).toMatchObject({ username: 'mallory', groups: ['system:authenticated'] });
  }
});

test('the server may try guards in slipway-trials and nowhere else, and makes none without install --guards', async () => {
  const rights = await real.slipway('feature', 'rbac', 'MaxUnavailableStatefulSet', '--built-in', '-o', 'json');
  await apply(JSON.parse(rights.stdout));
  const may = async (verb: string, resource: string, namespace: string) =>
    (await real.kubectl(['auth', 'can-i', verb, resource, '-n', namespace, '--as', account])).stdout.trim();
  expect(await may('create', 'statefulsets.apps', 'slipway-trials')).toBe('yes');
  for (const namespace of ['default', 'kube-system', 'slipway-system'])
    expect(await may('create', 'statefulsets.apps', namespace), namespace).toBe('no');
  for (const policies of ['validatingadmissionpolicies', 'mutatingadmissionpolicies'])
    expect(await may('create', `${policies}.admissionregistration.k8s.io`, 'default'), policies).toBe('no');
  const guards = await real.slipway('install', '--image', image, '--guards', '--dry-run', '-o', 'json');
  const { objects } = JSON.parse(guards.stdout) as { objects: { action: string; object: { kind: string } }[] };
  const added = objects.filter(({ action }) => action !== 'keep').map(({ object }) => object.kind);
  expect([...new Set(added)].sort()).toEqual(['ClusterRole']);
});

test('reports beyond the limit of a namespace are not counted, and the metrics name the namespace', async () => {
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'crowd' } });
  const reported = { component: 'agent', binaryVersion: '1.0.0', gates: [{ name: 'Crowded', enabled: true }] };
  const vector = vectorName(reported);
  await apply({ apiVersion, kind: 'FeatureVector', metadata: { name: vector, namespace: 'crowd' }, spec: reported });
  for (const instance of ['a', 'b', 'c', 'd', 'e'])
    await apply({
      apiVersion,
      kind: 'FeatureUse',
      metadata: { name: `agent-${instance}`, namespace: 'crowd' },
      spec: { component: 'agent', instance, incarnation: '1', binaryVersion: '1.0.0', source: 'Library', vector },
    });
  await eventually('the metrics say how many are too many', async () => {
    const [, health] = /health at (\S+)/.exec(real.log('feature-server')) ?? [];
    if (!health) return false;
    return (await real.page(`${health}/metrics`)).includes(
      `slipway_feature_over_limit{namespace="crowd",kind="FeatureUse"} ${5 - maxReports}\n`,
    );
  });
});

test('nothing was refused to the feature server', () => {
  expect(real.log('feature-server')).not.toMatch(/forbidden/i);
});

async function apply(object: object): Promise<void> {
  const outcome = await real.kubectl(['apply', '-f', '-'], object);
  expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
}

function aDefinition(name: string): object {
  const spec = { gate: name, components: [{ name: 'agent', required: false, roster: 'Self' }] };
  return { apiVersion, kind: 'FeatureDefinition', metadata: { name, namespace: 'tenant' }, spec };
}
