import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificates } from '@slipway/devcluster/issue-certificates';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { endProcess } from '../support/control-plane.js';
import { withAuthor } from '../support/real-features.js';
import { type RealKubernetes, realKubernetes } from '../support/real-kubernetes.js';
import { eventually } from '../support/slipway.js';

// Every kind of task that a definition may name, on a real API server: a feature that brings its own kind along.

const apiVersion = 'features.slipway.dev/v1alpha1';
const field = { group: 'toys.example.com', resource: 'kites', path: 'spec.tail' };
const crd = 'kites.toys.example.com';
const webhookPort = 9443;
/** Answers every task with Done, and says on stdout which it was. */
const webhookProgram = `
const { createServer } = require('node:https');
const { CERT: cert, KEY: key, PORT: port } = process.env;
createServer({ cert, key }, async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  console.log('asked ' + JSON.parse(body).task);
  response.end(JSON.stringify({ phase: 'Done' }));
}).listen(Number(port), '127.0.0.1', () => console.log('listening'));
`;

let real: RealKubernetes;
let folder: string;
const closing: (() => unknown)[] = [];
/** Path of the webhooks and jobs of the server. */
let tasks: string;
let asked = '';

beforeAll(async () => {
  if (!hasPart('real Kubernetes') || !hasPart('kubectl')) return;
  folder = mkdtempSync(join(tmpdir(), 'slipway-tasks-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  real = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  closing.push(() => real[Symbol.asyncDispose]());
  const installed = await real.slipway('install', '--no-processes', '--guards', '--only', 'features');
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'toys' } });
  tasks = join(folder, 'tasks.yaml');
  writeFileSync(tasks, JSON.stringify({ webhooks: { tidy: await startWebhook() }, jobs: { pack: packing } }));
  const token = await real.kubectl(['-n', 'slipway-system', 'create', 'token', 'slipway-feature-server']);
  real.start(token.stdout, 'run', 'feature-server', '--listen', '127.0.0.1:0', '--tasks', tasks);
}, 300_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

beforeEach((context) => {
  needs(context, 'real Kubernetes');
  needs(context, 'kubectl');
});

test('a feature brings its kind, shows a field and migrates its objects; off, it takes all of it back', async () => {
  await eventually('the definition is accepted', async () => (await tryApply(await withAuthor(real, kites))) === '');
  const rights = await real.slipway('feature', 'rbac', 'Kites', '-n', 'toys', '--tasks', tasks, '-o', 'json');
  expect(rights, rights.stderr).toMatchObject({ code: 0 });
  await apply(JSON.parse(rights.stdout));
  await turn('on');
  await reaches('On');
  expect(await pathOfField()).toBe('integer');
  for (const name of ['red', 'blue']) await apply(aKite(name));
  await apply(aTemplate);

  await turn('off');
  await eventually('the author is told that objects remain', async () => {
    const { conditions = [] } = await feature();
    return conditions.some(({ type, message }) => type === 'Blocked' && message.includes('toys/kept'));
  });
  expect(asked).toContain('asked Webhook-tidy');
  expect((await real.kubectl(['get', 'kites', '-n', 'toys', '-o', 'name'])).stdout.split('\n').filter(Boolean)).toEqual(
    ['kite.toys.example.com/blue', 'kite.toys.example.com/red'],
  );
  expect(await real.kubectl(['delete', 'podtemplate', 'kept', '-n', 'toys'])).toMatchObject({ code: 0 });
  await eventually('the job has a pod', endPodOfJob, 90_000);
  await reaches('Off');
  expect((await real.kubectl(['get', 'crd', crd])).stderr).toContain('NotFound');
  expect((await feature()).history?.[0]).toMatchObject({ to: 'Off', result: 'Completed' });
  const backups = ['get', 'secrets', '-A', '-l', 'features.slipway.dev/backup=kites', '-o', 'name'];
  expect((await real.kubectl(backups)).stdout).not.toBe('');
  expect(real.log('feature-server')).not.toMatch(/forbidden/i);
}, 600_000);

test('upgrade check looks at the real cluster, and says what it could not see', async () => {
  const to = `1.${real.minor + 1}`;
  const check = async (...words: string[]) => {
    const outcome = await real.slipway('upgrade', 'check', '--to', to, '-o', 'json', ...words);
    expect(outcome.stderr).not.toMatch(/^error/m);
    return JSON.parse(outcome.stdout);
  };
  const verdict = await check();
  expect(verdict).toMatchObject({ from: `1.${real.minor}`, to, path: [to] });
  expect(verdict.coverage.processes).toBeGreaterThan(0);
  expect(verdict.findings).not.toContainEqual(expect.objectContaining({ severity: 'blocker' }));
});

const packing = {
  namespace: 'toys',
  template: {
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'pack', image: 'registry.example.com/pack:1' }],
    },
  },
};

const kiteSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { tail: { type: 'integer' }, colour: { type: 'string' } } },
  },
};

const kites = {
  apiVersion,
  kind: 'FeatureDefinition',
  metadata: { name: 'kites', namespace: 'toys' },
  spec: {
    gate: 'Kites',
    scope: 'Cluster',
    cleanup: 'Automatic',
    components: [{ name: 'toy-operator', required: false, roster: 'Self' }],
    stages: [{ version: '1.0', stage: 'Alpha', default: false }],
    references: [field, { group: field.group, resource: field.resource, kind: 'Object' }],
    tasks: {
      on: [
        {
          kind: 'InstallCRD',
          args: {
            crd: {
              apiVersion: 'apiextensions.k8s.io/v1',
              kind: 'CustomResourceDefinition',
              metadata: { name: crd },
              spec: {
                group: field.group,
                scope: 'Namespaced',
                names: { kind: 'Kite', plural: field.resource, singular: 'kite' },
                versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: kiteSchema } }],
              },
            },
          },
        },
        { kind: 'ShowField', args: { crd, path: field.path } },
        { kind: 'MigrateStorage', args: { group: field.group, resource: field.resource } },
      ],
      off: [
        { name: 'Webhook-tidy', kind: 'Webhook', args: { name: 'tidy' } },
        { kind: 'WaitForNoObjects', args: { group: '', resource: 'podtemplates', path: 'template.spec.hostname' } },
        { kind: 'ClearField', args: field },
        { kind: 'ClearCollection', args: { group: field.group, resource: field.resource } },
        { name: 'Job-pack', kind: 'Job', args: { name: 'pack' } },
        { kind: 'HideField', phase: 'AfterClean', args: { crd, path: field.path } },
        { kind: 'RemoveCRD', phase: 'AfterClean', args: { name: crd } },
      ],
    },
  },
};

function aKite(name: string): object {
  return { apiVersion: `${field.group}/v1`, kind: 'Kite', metadata: { name, namespace: 'toys' }, spec: { tail: 3 } };
}

const aTemplate = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 'kept', namespace: 'toys' },
  template: { spec: { hostname: 'kite', containers: [{ name: 'main', image: 'registry.example.com/kite:1' }] } },
};

/** An HTTPS server on the loopback of the cluster. */
async function startWebhook(): Promise<{ readonly url: string; readonly caBundle: string }> {
  const names = ['127.0.0.1'];
  const { ca, serving } = await issueCertificates({
    ca: undefined,
    serving: undefined,
    admin: undefined,
    names,
    nowMs: Date.now(),
  });
  const env = { ...process.env, CERT: serving.certificate, KEY: serving.key, PORT: `${webhookPort}` };
  const child = spawn(real.inside(process.execPath), ['-e', webhookProgram], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(() => endProcess(child));
  child.stdout.on('data', (chunk) => {
    asked += String(chunk);
  });
  await once(child.stdout, 'data');
  return { url: `https://127.0.0.1:${webhookPort}/`, caBundle: ca.certificate };
}

/** Reports the pod of the job as ended, in place of a kubelet: the cluster has no node. */
async function endPodOfJob(): Promise<boolean> {
  const { stdout } = await real.kubectl(['get', 'pods', '-n', 'toys', '-l', 'job-name', '-o', 'name']);
  const [pod] = stdout.split('\n').filter(Boolean);
  if (pod === undefined) throw new Error(JSON.stringify(await feature(), null, 1));
  const status = JSON.stringify({ status: { phase: 'Succeeded' } });
  const patch = ['patch', pod, '-n', 'toys', '--subresource=status', '--type=merge', '-p', status];
  return (await real.kubectl(patch)).code === 0;
}

async function pathOfField(): Promise<string> {
  const path = '{.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.tail.type}';
  return (await real.kubectl(['get', 'crd', crd, '-o', `jsonpath=${path}`])).stdout;
}

async function turn(to: 'on' | 'off'): Promise<void> {
  const flip = async () => {
    const outcome = await real.slipway('feature', to, 'Kites', '-n', 'toys', '--yes');
    if (outcome.code !== 0) throw new Error(outcome.stderr);
    return true;
  };
  await eventually(`it is wanted ${to}`, flip, 60_000);
}

interface Status {
  readonly state?: string;
  readonly history?: readonly object[];
  readonly conditions?: readonly { readonly type: string; readonly message: string }[];
}

async function feature(): Promise<Status> {
  const { stdout } = await real.kubectl(['get', 'feature', 'kites', '-n', 'toys', '-o', 'json']);
  return JSON.parse(stdout).status ?? {};
}

/** Fails with the whole status. */
async function reaches(state: string): Promise<void> {
  const isThere = async () => {
    const status = await feature();
    if (status.state !== state) throw new Error(JSON.stringify(status, null, 1));
    return true;
  };
  await eventually(`it is ${state}`, isThere, 150_000);
}

async function tryApply(object: object): Promise<string> {
  return (await real.kubectl(['apply', '-f', '-'], object)).stderr;
}

async function apply(object: object): Promise<void> {
  expect(await tryApply(object)).toBe('');
}
