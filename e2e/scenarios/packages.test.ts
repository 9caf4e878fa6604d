import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { eventually, type RunningCluster, run, up } from '../support/slipway.js';

test('kubectl applies a set of objects, and prunes what is no longer in it', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const apply = (objects: readonly Manifest[]) =>
    cluster.kubectl(['apply', '--prune', '--applyset=team', '-n', 'default', '-f', '-'], {
      stdin: asList(objects),
      env: { KUBECTL_APPLYSET: 'true' },
    });
  const [first, second, service] = [settings('first'), settings('second'), serviceFor('web')];
  expect(await apply([first, second, service])).toMatchObject({ code: 0 });

  const shrunk = await apply([first]);
  expect(shrunk).toMatchObject({ code: 0, stderr: '' });
  expect(shrunk.stdout.trimEnd().split('\n').sort()).toEqual([
    'configmap/first unchanged',
    'configmap/second pruned',
    'service/web pruned',
  ]);
  const set = await cluster.kubectl(['get', 'secret', 'team', '-o', 'json']);
  const { annotations, labels } = JSON.parse(set.stdout).metadata;
  expect(annotations['applyset.kubernetes.io/contains-group-kinds']).toBe('ConfigMap');
  const part = `applyset.kubernetes.io/part-of=${labels['applyset.kubernetes.io/id']}`;
  expect((await cluster.kubectl(['get', 'configmap,service', '-l', part, '-o', 'name'])).stdout).toBe(
    'configmap/first\n',
  );
});

test('kpt applies a package in the order of its dependencies, prunes it, and takes it away again', async (context) => {
  needs(context, 'kubectl');
  needs(context, 'kpt');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  await using shop = await aPackage(cluster);
  // It goes on looking at its own definition for ten seconds, when that has long been served.
  const installed = shop.live('install-resource-group');
  await eventually('inventories are served', async () => {
    const wait = ['wait', '--for=condition=Established', 'crd/resourcegroups.kpt.dev', '--timeout=1s'];
    return (await cluster.kubectl(wait)).code === 0;
  });
  expect(await shop.live('init', '--name=shop', '--namespace=shop')).toMatchObject({ code: 0 });

  // A definition goes before its objects, and what others depend on is ready before them.
  const colours = settings('colours', 'shop');
  const web = { ...deployment, metadata: dependent('web', '/namespaces/shop/ConfigMap/colours') };
  const service = { ...serviceFor('web'), metadata: dependent('web', 'apps/namespaces/shop/Deployment/web') };
  await shop.holds([service, web, widget(3), colours, widgets, namespace]);
  const first = await shop.apply();
  expect(first).toMatchObject({ code: 0 });
  const [base, middle, ...last] = waves(first.events);
  expect([base, middle].map((names) => names?.sort())).toEqual([
    ['CustomResourceDefinition widgets.shop.example.org', 'Namespace shop'],
    ['ConfigMap colours', 'Widget one'],
  ]);
  expect(last).toEqual([['Deployment web'], ['Service web']]);
  expect(became(first.events, 'wait', 'Successful')).toHaveLength(6);

  // One object that is refused does not keep the others back, and what is no longer in the package goes.
  await shop.holds([web, widget(0), colours, widgets, namespace]);
  const second = await shop.apply();
  expect(second.code).not.toBe(0);
  expect(became(second.events, 'apply', 'Failed')).toEqual(['Widget one']);
  expect(second.events.find(({ error }) => error)?.error).toContain(
    'spec.size in body should be greater than or equal to 1',
  );
  expect(became(second.events, 'apply', 'Successful')).toHaveLength(4);
  expect(became(second.events, 'prune', 'Successful')).toEqual(['Service web']);
  const status = await shop.live('status', '--output=json');
  expect(new Set(eventsIn(status.stdout).map((event) => event.status))).toEqual(new Set(['Current']));

  expect(await installed).toMatchObject({ code: 0 });
  const destroyed = await shop.live('destroy', '--output=json');
  expect(destroyed).toMatchObject({ code: 0 });
  expect(became(eventsIn(destroyed.stdout), 'wait', 'Successful')).toHaveLength(5);
  const left = await cluster.kubectl(['get', 'namespace,crd,resourcegroups', '-A', '-o', 'name']);
  expect(left.stdout).not.toMatch(/shop/);
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** What kpt tells of an object while it works; of groups of them it tells other things. */
interface Told {
  readonly type?: string;
  readonly action?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly status?: string;
  readonly error?: string;
}

function settings(name: string, namespace?: string): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(namespace && { namespace }) }, data: { a: 'b' } };
}

function serviceFor(app: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: app },
    spec: { selector: { app }, ports: [{ port: 80 }] },
  };
}

/** An object of the package that is applied when another one is ready. */
function dependent(name: string, on: string) {
  return { name, namespace: 'shop', annotations: { 'config.kubernetes.io/depends-on': on } };
}

function widget(size: number): Manifest {
  return { apiVersion: 'shop.example.org/v1', kind: 'Widget', metadata: { name: 'one', ...inShop }, spec: { size } };
}

const inShop = { namespace: 'shop' };
const namespace: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const labels = { app: 'web' };
const pod = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: { replicas: 2, selector: { matchLabels: labels }, template: pod },
};
const spec = { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } };
const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
const widgets: Manifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.example.org' },
  spec: {
    group: 'shop.example.org',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
};

/** A package in a folder of its own, and what kpt does with it on a cluster. */
async function aPackage({ kubeconfig }: RunningCluster) {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-package-'));
  const file = { apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'shop' } };
  await writeFile(join(folder, 'Kptfile'), JSON.stringify(file));
  const live = (...args: string[]) =>
    run('kpt', ['live', ...args], { cwd: folder, env: { KUBECONFIG: kubeconfig, HOME: folder } });
  return {
    live,
    holds: (objects: readonly Manifest[]) => writeFile(join(folder, 'objects.yaml'), asList(objects)),
    async apply() {
      const { code, stdout } = await live('apply', '--server-side', '--output=json', '--reconcile-timeout=30s');
      return { code, events: eventsIn(stdout) };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Objects as documents of one file. */
function asList(objects: readonly Manifest[]): string {
  return objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('');
}

function eventsIn(stdout: string): Told[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line): Told => JSON.parse(line));
}

function became(events: readonly Told[], type: string, status: string): string[] {
  return events
    .filter((event) => event.type === type && event.status === status)
    .map(({ kind, name }) => `${kind} ${name}`);
}

/** What was applied at once, wave after wave. */
function waves(events: readonly Told[]): string[][] {
  const all: string[][] = [];
  for (const { type, action, kind, name, status } of events) {
    if (type === 'group' && action === 'Apply' && status === 'Started') all.push([]);
    if (type === 'apply') all.at(-1)?.push(`${kind} ${name}`);
  }
  return all;
}
