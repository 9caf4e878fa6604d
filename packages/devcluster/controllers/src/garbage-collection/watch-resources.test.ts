import { Kube, type KubeRequest, silentLog, type Transport } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { OwnerGraph } from './owner-graph.js';
import { ResourceWatch } from './watch-resources.js';

test('500 kinds that are defined at once are watched in several ticks', async () => {
  const resources = Array.from({ length: 500 }, (_, index) => discovered(`kinds${index}`));
  let lists = 0;
  await using watching = watch({ 'many.dev': { v1: resources } }, () => lists++);
  const perTick: number[] = [];
  let isOver = false;
  const sample = () => {
    perTick.push(lists);
    lists = 0;
    if (!isOver) setImmediate(sample);
  };
  sample();
  await watching.watch.start(new AbortController().signal);
  isOver = true;
  const begun = [...perTick, lists];
  expect(begun.reduce((sum, count) => sum + count)).toBe(500);
  expect(Math.max(...begun)).toBeLessThanOrEqual(20);
});

test('a resource is watched once, in the version that the server prefers', async () => {
  const listed: string[] = [];
  const groups: Groups = { 'cake.dev': { v2: [discovered('pies')], v1: [discovered('pies'), discovered('tarts')] } };
  await using watching = watch(groups, (path) => listed.push(path));
  await watching.watch.start(new AbortController().signal);
  expect(listed.sort()).toEqual(['/apis/cake.dev/v1/tarts', '/apis/cake.dev/v2/pies']);
});

test('a resource whose version is no longer served is watched in another one', async () => {
  const listed: string[] = [];
  const groups: Groups = { 'cake.dev': { v1: [discovered('pies')] } };
  await using watching = watch(groups, (path) => listed.push(path));
  await watching.watch.start(new AbortController().signal);
  groups['cake.dev'] = { v2: [discovered('pies')] };
  await watching.watch.refresh();
  await expect.poll(() => listed).toEqual(['/apis/cake.dev/v1/pies', '/apis/cake.dev/v2/pies']);
});

/** Resources of a server by group and version, the preferred one first. */
type Groups = Record<string, Record<string, readonly object[]>>;

function discovered(plural: string): object {
  return { name: plural, singularName: '', kind: plural, namespaced: true, verbs: ['list', 'watch', 'delete'] };
}

/** A watch of the resources of a server without objects, which tells of each list. */
function watch(groups: Groups, onList: (path: string) => void): { watch: ResourceWatch } & AsyncDisposable {
  const documentOf = (path: string) => {
    if (path === '/api') return { versions: [] };
    if (path === '/apis') {
      return {
        groups: Object.entries(groups).map(([name, versions]) => ({
          name,
          versions: Object.keys(versions).map((version) => ({ groupVersion: `${name}/${version}`, version })),
        })),
      };
    }
    const [, , group = '', version = '', ...rest] = path.split('/');
    return rest.length === 0 ? { resources: groups[group]?.[version] } : undefined;
  };
  const transport: Transport = {
    async request({ path }: KubeRequest) {
      const document = documentOf(path);
      if (document) return { status: 200, headers: {}, body: document };
      onList(path.split('?')[0] ?? '');
      return { status: 200, headers: {}, body: { kind: 'List', metadata: { resourceVersion: '1' }, items: [] } };
    },
    async *stream(_request, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  };
  const watch = new ResourceWatch({
    kube: new Kube(transport, { clock: new ManualClock() }),
    log: silentLog,
    graph: new OwnerGraph(),
    onObject: () => {},
    onGone: () => {},
  });
  return { watch, [Symbol.asyncDispose]: () => watch.stop() };
}
