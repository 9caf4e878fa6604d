import { readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { devclusterRooms } from './devcluster-rooms.js';
import {
  arrowsUp,
  circlesOf,
  forbiddenArrows,
  type Module,
  misplacedFolders,
  roomModules,
  roomOf,
} from './module-graph.js';
import { modulesOf, type Source, sourcesOf } from './package-sources.js';
import { packageFolders } from './release/package-folders.js';

/** Which of our packages each one may import. ARCHITECTURE.md shows the same as a picture. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'feature-gates': [],
  'safe-yaml': [],
  kube: ['safe-yaml'],
  kep: ['safe-yaml'],
  'image-pulls': ['feature-gates', 'safe-yaml'],
  features: ['kube', 'feature-gates'],
  balloons: ['kube', 'feature-gates'],
  'node-agent': ['kube', 'feature-gates', 'features'],
  'openfeature-provider': ['feature-gates'],
  'api-machinery': ['kube'],
  cel: ['api-machinery', 'kube'],
  devcluster: ['api-machinery', 'cel', 'kube', 'feature-gates', 'image-pulls', 'safe-yaml'],
  console: ['kube', 'features', 'balloons', 'image-pulls', 'kep', 'safe-yaml'],
  cli: [
    'feature-gates',
    'safe-yaml',
    'kube',
    'kep',
    'image-pulls',
    'features',
    'balloons',
    'node-agent',
    'devcluster',
    'console',
  ],
};

/** Folders and files that decide: no I/O, no clock, no randomness. */
const pure = [
  'feature-gates/src/gate/',
  'features/src/lifecycle/',
  'features/src/upgrade/',
  'features/src/views/',
  'balloons/src/autosize/decide-size.ts',
  'balloons/src/canary/canary-obstacle.ts',
  'balloons/src/canary/canary-plan.ts',
  'balloons/src/install/',
  'balloons/src/partition/plan-partition.ts',
  'balloons/src/planner/',
  'balloons/src/ticket/',
  'balloons/src/views/',
  'kube/src/resources/',
  'kube/src/conditions/',
  'image-pulls/src/limiter/callers.ts',
  'image-pulls/src/limiter/due-times.ts',
  'image-pulls/src/limiter/free-slots.ts',
  'image-pulls/src/limiter/on-full.ts',
  'image-pulls/src/limiter/pull-lists.ts',
  'image-pulls/src/limiter/pull-queue.ts',
  'image-pulls/src/limiter/pull-record.ts',
  'image-pulls/src/limiter/pull-state.ts',
  'image-pulls/src/limiter/queue-conditions.ts',
  'image-pulls/src/limiter/queue-state.ts',
  'image-pulls/src/limiter/queue-step.ts',
  'image-pulls/src/limiter/refusal-memory.ts',
  'image-pulls/src/limiter/refuse-waiting.ts',
  'image-pulls/src/limiter/running-pulls.ts',
  'image-pulls/src/limiter/start-pulls.ts',
  'image-pulls/src/node/install-plan.ts',
  'image-pulls/src/node/node-checks.ts',
  'image-pulls/src/progress/image-progress.ts',
  'image-pulls/src/views/',
  'image-pulls/src/what-if/',
  'kep/src/claims/',
  'kep/src/document/',
  'kep/src/evidence/',
  'kep/src/kinds/',
  'kep/src/language/',
  'kep/src/rules/',
  'kep/src/site/',
  'kep/src/template/',
  'kep/src/upgrade/',
  'api-machinery/src/patch/',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = new Map(packageFolders(root).map((folder) => [basename(folder), `${root}${folder}`]));
const names = [...folders.keys()];

const sources = new Map<string, readonly Source[]>(
  [...folders].map(([name, folder]) => [name, sourcesOf(folder, name)]),
);
const isProduct = (source: Pick<Source, 'path'>) => !source.path.endsWith('.test.ts');

test('every package is drawn in the picture, and the picture draws no other', () => {
  expect([...names].sort()).toEqual(Object.keys(mayImport).sort());
});

test.each(names)('%s imports only the packages below it', (name) => {
  const allowed = new Set(mayImport[name]);
  const wrong = ours(name).filter(({ target }) => !allowed.has(target));
  expect(wrong).toEqual([]);
});

test.each(names)('%s declares exactly the packages of ours that it may import', (name) => {
  const manifest = manifestOf(name);
  const declared = Object.keys(manifest.dependencies ?? {})
    .filter((dependency) => dependency.startsWith('@slipway/'))
    .map((dependency) => dependency.slice('@slipway/'.length));
  expect(declared.filter((dependency) => !mayImport[name]?.includes(dependency))).toEqual([]);
  const imported = new Set(ours(name, isProduct).map(({ target }) => target));
  expect([...imported].filter((target) => !declared.includes(target))).toEqual([]);
});

test('no file reaches into another package by a relative path', () => {
  const reaching = all().filter((source) => {
    const depth = source.path.split('/').length - 2;
    // What a test needs of the machine is listed in one place for all packages.
    const allowed = (target: string) => !isProduct(source) && target.endsWith('/tools/real-parts.js');
    return source.imports.some(
      (target) => (target.match(/\.\.\//g) ?? []).length >= depth && target.startsWith('..') && !allowed(target),
    );
  });
  expect(reaching.map(({ path }) => path)).toEqual([]);
});

test('feature-gates depends on nothing', () => {
  const manifest = manifestOf('feature-gates');
  expect(manifest.dependencies ?? {}).toEqual({});
  const foreign = (sources.get('feature-gates') ?? [])
    .filter(isProduct)
    .flatMap(({ imports }) => imports.filter((target) => !target.startsWith('.') && !target.startsWith('node:')));
  expect(foreign).toEqual([]);
});

test('devcluster knows none of our kinds', () => {
  const knowing = wingPackages
    .flatMap((name) => sources.get(name) ?? [])
    .filter((source) => isProduct(source) && /(features|balloons)\.slipway\.dev/.test(source.text));
  expect(knowing.map(({ path }) => path)).toEqual([]);
});

/** The packages that devcluster is made of, those that are rooms of their own included. */
const wingPackages = names.filter((name) => folders.get(name)?.startsWith(`${root}packages/devcluster`));

/** The product files of devcluster; its test support lies in folders called `testing`. */
const wing: readonly Module[] = wingPackages
  .flatMap((name) => modulesOf(sources.get(name) ?? [], name === 'devcluster' ? '' : `${name}/`))
  .filter((module) => isProduct(module) && !/(^|\/)testing\//.test(module.path))
  .map(({ path, imports }) => ({ path, imports: imports.filter((target) => roomOf(target) in devclusterRooms) }));
const rooms = Object.keys(devclusterRooms);
const mayImportRooms = Object.fromEntries(
  Object.entries(devclusterRooms).map(([name, room]) => [name, room.mayImport]),
);

test('devcluster has the rooms that are listed, ground floor first', () => {
  expect([...new Set(wing.map(({ path }) => roomOf(path)))].sort()).toEqual([...rooms].sort());
  for (const [at, room] of rooms.entries()) {
    expect(devclusterRooms[room]?.mayImport.filter((lower) => rooms.indexOf(lower) >= at)).toEqual([]);
  }
});

test('a room of devcluster imports only the rooms that it may, types included', () => {
  expect(forbiddenArrows(wing, mayImportRooms)).toEqual([]);
});

test.each(rooms)('%s imports only from its lower floors, and every folder is on one', (room) => {
  const { floors = [] } = devclusterRooms[room] ?? {};
  const inside = roomModules(wing, room);
  expect(misplacedFolders(inside, floors)).toEqual([]);
  expect(arrowsUp(inside, floors)).toEqual([]);
});

test('no file of devcluster leads back to itself', () => {
  expect(circlesOf(wing)).toEqual([]);
});

test('api-server knows no built-in kind', () => {
  const known = ['kubernetes-kinds', 'controllers', 'scheduler', 'simulated-kubelet', 'cluster'];
  expect(known.filter((room) => mayImportRooms['api-server']?.includes(room))).toEqual([]);
});

test('controllers, scheduler and kubelets know the API server only through kube', () => {
  const clients = ['controllers', 'scheduler', 'simulated-kubelet'];
  const server = ['api-server', 'kubernetes-kinds', 'object-store', 'cluster'];
  expect(clients.flatMap((room) => server.filter((one) => mayImportRooms[room]?.includes(one)))).toEqual([]);
});

// What each check finds in the product when one import is added that breaks its rule.
test('every rule of the rooms is held', () => {
  const adding = (from: string, to: string) => [...wing, { path: from, imports: [to] }];
  const server = 'api-server/server.ts';
  expect(forbiddenArrows(adding('scheduler/new.ts', server), mayImportRooms)).toEqual([['scheduler/new.ts', server]]);
  const kind = 'kubernetes-kinds/kinds/pod.ts';
  expect(forbiddenArrows(adding('api-server/new.ts', kind), mayImportRooms)).toEqual([['api-server/new.ts', kind]]);
  const { floors } = devclusterRooms.scheduler as (typeof devclusterRooms)[string];
  const up = roomModules(adding('scheduler/demand/new.ts', 'scheduler/scores/score.ts'), 'scheduler');
  expect(arrowsUp(up, floors)).toEqual([['demand/new.ts', 'scores/score.ts']]);
  const beside = roomModules(adding('scheduler/queue/new.ts', 'scheduler/view/cluster-view.ts'), 'scheduler');
  expect(arrowsUp(beside, floors)).toEqual([['queue/new.ts', 'view/cluster-view.ts']]);
  const unlisted = roomModules(adding('scheduler/attic/new.ts', 'scheduler/demand/demand.ts'), 'scheduler');
  expect(misplacedFolders(unlisted, floors)).toEqual(['attic']);
  expect(misplacedFolders(roomModules(wing, 'scheduler'), [...floors, 'cellar'])).toEqual(['cellar']);
  const back = wing.map((module) =>
    module.path === 'scheduler/demand/demand.ts'
      ? { ...module, imports: [...module.imports, 'scheduler/scheduler.ts'] }
      : module,
  );
  expect(circlesOf(back)).toHaveLength(1);
  expect(circlesOf(back)[0]).toEqual(expect.arrayContaining(['scheduler/demand/demand.ts', 'scheduler/scheduler.ts']));
});

test('kep opens no connection and no listener', () => {
  const network = /^node:(net|http|https|http2|tls|dgram)$/;
  const opening = (sources.get('kep') ?? []).filter(
    (source) => isProduct(source) && source.imports.some((i) => network.test(i)),
  );
  expect(opening.map(({ path }) => path)).toEqual([]);
});

test('what speaks to a container runtime does not know what serves the kubelet', () => {
  const knowing = (sources.get('image-pulls') ?? []).filter(
    (source) =>
      isProduct(source) &&
      /\/src\/(?:runtime|cri|limiter|config)\//.test(source.path) &&
      source.imports.some((target) => target.includes('/proxy/')),
  );
  expect(knowing.map(({ path }) => path)).toEqual([]);
});

test('one place writes the Prometheus text format', () => {
  const writers = all().filter((source) => isProduct(source) && /# HELP /.test(source.text));
  expect(writers.map(({ path }) => path)).toEqual(['feature-gates/src/metrics/metric-text.ts']);
});

test('no product package loads the official JavaScript client', () => {
  const users = all().filter((source) => isProduct(source) && source.imports.includes('@kubernetes/client-node'));
  expect(users.map(({ path }) => path)).toEqual([]);
  const declared = names.filter((name) =>
    JSON.stringify(manifestOf(name).dependencies ?? {}).includes('@kubernetes/client-node'),
  );
  expect(declared).toEqual([]);
});

test('pure folders do no I/O, read no clock and draw no random number', () => {
  const impure = all()
    .filter((source) => isProduct(source) && pure.some((folder) => source.path.startsWith(folder)))
    .filter(
      ({ text, imports }) =>
        imports.some((target) => target.startsWith('node:')) ||
        /\b(Date\.now|performance\.now|Math\.random|setTimeout|setInterval|fetch)\(/.test(text) ||
        /new Date\(\)/.test(text),
    );
  expect(impure.map(({ path }) => path)).toEqual([]);
});

/** Where the time of this machine is meant: certificates, locks, and what a stop may take. */
const machineTime = ['start-cluster.ts', 'run-cluster.ts', 'step-time.ts'].map(
  (file) => `devcluster/src/cluster/${file}`,
);

/** The watchdog measures the event loop of this process, from a thread that outlives any clock. */
const watchdog = 'api-machinery/src/event-loop/watchdog';

test('devcluster lives by the clock it is handed; that of the machine is only what it is handed by default', () => {
  const reading = /(?<![.\w])(Date\.now|performance\.now|setTimeout|setInterval)\(|new Date\(\)/;
  const unclocked = /new Kube\((?:[^()]|\([^()]*\))*\)/g;
  const found = wingPackages
    .flatMap((name) => sources.get(name) ?? [])
    .filter((source) => isProduct(source) && !source.path.includes('/testing/'))
    .flatMap(({ path, text }) => {
      const code = text.replace(/^import .*$/gm, '');
      const wrong = [
        reading.test(code) && !path.startsWith(watchdog),
        /(?<!clock(: Clock)? = )\bsystemClock\b/.test(code) && !machineTime.includes(path),
        [...code.matchAll(unclocked)].some(([made]) => !made.includes('clock')),
      ];
      return wrong.includes(true) ? [path] : [];
    });
  expect(found).toEqual([]);
});

test('no inner index files, and no rooms for strangers', () => {
  const names = /(^|\/)(utils?|helpers?|types|constants|common|misc)\.ts$/;
  const inner = all().filter(({ path }) => {
    const inside = path.split('/src/')[1] ?? '';
    return names.test(inside) || (inside.endsWith('/index.ts') && inside !== 'testing/index.ts');
  });
  expect(inner.map(({ path }) => path)).toEqual([]);
});

test('no two folders of cli import each other, in a circle of any length', () => {
  const folderOf = (path: string) => posix.dirname(path);
  const edges = (sources.get('cli') ?? []).filter(isProduct).flatMap(({ path, imports }) =>
    imports
      .filter((target) => target.startsWith('.'))
      .map((target) => [folderOf(path), folderOf(posix.join(folderOf(path), target))] as const)
      .filter(([from, to]) => from !== to),
  );
  const below = new Map<string, Set<string>>();
  for (const [from, to] of edges) below.set(from, (below.get(from) ?? new Set()).add(to));
  // Folders that import nothing of what is left are taken away; what remains are circles.
  for (let isLess = true; isLess; ) {
    const free = [...below].filter(([, targets]) => ![...targets].some((target) => below.has(target)));
    for (const [folder] of free) below.delete(folder);
    isLess = free.length > 0;
  }
  expect([...below.keys()]).toEqual([]);
});

function manifestOf(name: string): { readonly dependencies?: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(`${folders.get(name)}/package.json`, 'utf8'));
}

function all(): readonly Source[] {
  return [...sources.values()].flat();
}

/** The imports of one package that name another package of ours. */
function ours(name: string, which: (source: Source) => boolean = () => true) {
  return (sources.get(name) ?? []).filter(which).flatMap(({ path, imports }) =>
    imports
      .filter((target) => target.startsWith('@slipway/'))
      .map((target) => ({ path, target: target.split('/')[1] ?? '' }))
      .filter(({ target }) => target !== name),
  );
}
