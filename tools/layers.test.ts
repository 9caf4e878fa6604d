import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { arrowsUp, circlesOf, forbiddenArrows, type Module, misplacedFolders, packageModules } from './module-graph.js';
import { packageFloors } from './package-floors.js';
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
  'object-store': ['api-machinery', 'kube'],
  cel: ['api-machinery', 'kube'],
  'kube-objects': ['api-machinery', 'kube'],
  'api-server': ['api-machinery', 'object-store', 'cel', 'kube-objects', 'kube', 'feature-gates', 'safe-yaml'],
  'kubernetes-kinds': ['api-machinery', 'object-store', 'cel', 'kube-objects', 'api-server', 'kube'],
  controllers: ['api-machinery', 'cel', 'kube-objects', 'kube', 'feature-gates'],
  scheduler: ['api-machinery', 'kube-objects', 'kube'],
  'simulated-kubelet': ['api-machinery', 'kube-objects', 'kube', 'feature-gates', 'image-pulls', 'safe-yaml'],
  devcluster: [
    'api-machinery',
    'object-store',
    'cel',
    'kube-objects',
    'api-server',
    'kubernetes-kinds',
    'controllers',
    'scheduler',
    'simulated-kubelet',
    'kube',
    'feature-gates',
    'safe-yaml',
  ],
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
  'kep/src/facts/',
  'kep/src/kinds/',
  'kep/src/language/',
  'kep/src/rules/',
  'kep/src/site/',
  'kep/src/template/',
  'kep/src/upgrade/',
  'api-machinery/src/patch/',
];

const root = fileURLToPath(new URL('..', import.meta.url));
/** The folder of each package by its name without the scope; that of devcluster is called `cluster`. */
const folders = new Map(
  packageFolders(root).map((folder) => {
    const { name } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) as { name: string };
    return [name.split('/')[1] ?? basename(folder), `${root}${folder}`];
  }),
);
const names = [...folders.keys()];

const sources = new Map<string, readonly Source[]>(
  [...folders].map(([name, folder]) => [name, sourcesOf(folder, name)]),
);
/** The packages that devcluster is made of, itself included. Nothing in their `testing` folders is published. */
const wing = names.filter((name) => folders.get(name)?.startsWith(`${root}packages/devcluster/`));
const isProduct = ({ path }: Pick<Source, 'path'>) =>
  !path.endsWith('.test.ts') && !(path.includes('/testing/') && wing.includes(path.slice(0, path.indexOf('/'))));

test('every package is drawn in the picture, and the picture draws no other', () => {
  expect([...names].sort()).toEqual(Object.keys(mayImport).sort());
});

test.each(names)('%s imports only the packages below it', (name) => {
  const allowed = new Set(mayImport[name]);
  expect(ours(name, isProduct).filter(({ target }) => !allowed.has(target))).toEqual([]);
  // Tests of one part of devcluster use the others around it.
  const around = new Set([...allowed, ...(wing.includes(name) ? wing : [])]);
  expect(ours(name).filter(({ target }) => !around.has(target))).toEqual([]);
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
  const knowing = wing
    .flatMap((name) => sources.get(name) ?? [])
    .filter((source) => isProduct(source) && /(features|balloons)\.slipway\.dev/.test(source.text));
  expect(knowing.map(({ path }) => path)).toEqual([]);
});

const ofTests = /\/testing\//;

/** The product files of all packages; test support lies in folders called `testing`. */
const modules: readonly Module[] = names
  .flatMap((name) => modulesOf(sources.get(name) ?? []))
  .filter((module) => isProduct(module) && !ofTests.test(module.path))
  .map(({ path, imports }) => ({ path, imports: imports.filter((target) => !ofTests.test(target)) }));

test('every package has its floors, and the packages are listed ground floor first', () => {
  expect(Object.keys(packageFloors).sort()).toEqual([...names].sort());
  const listed = Object.keys(mayImport);
  for (const [at, name] of listed.entries()) {
    expect(mayImport[name]?.filter((lower) => listed.indexOf(lower) >= at)).toEqual([]);
  }
});

test.each(Object.entries(packageFloors))(
  '%s imports only from its lower floors, and every folder is on one',
  (name, floors) => {
    const inside = packageModules(modules, name);
    expect(misplacedFolders(inside, floors)).toEqual([]);
    expect(arrowsUp(inside, floors)).toEqual([]);
  },
);

test('no file leads back to itself', () => {
  expect(circlesOf(modules)).toEqual([]);
});

test('api-server knows no built-in kind', () => {
  const known = ['kubernetes-kinds', 'controllers', 'scheduler', 'simulated-kubelet', 'devcluster'];
  expect(known.filter((name) => mayImport['api-server']?.includes(name))).toEqual([]);
});

test('controllers, scheduler and kubelets know the API server only through kube', () => {
  const clients = ['controllers', 'scheduler', 'simulated-kubelet'];
  const server = ['api-server', 'kubernetes-kinds', 'object-store', 'devcluster'];
  expect(clients.flatMap((name) => server.filter((one) => mayImport[name]?.includes(one)))).toEqual([]);
});

// What each check finds in the product when one import is added that breaks its rule.
test('every rule of the floors is held', () => {
  const adding = (from: string, to: string) => [...modules, { path: from, imports: [to] }];
  const server = 'api-server/server.ts';
  expect(forbiddenArrows(adding('scheduler/new.ts', server), mayImport)).toEqual([['scheduler/new.ts', server]]);
  const kind = 'kubernetes-kinds/kinds/pod.ts';
  expect(forbiddenArrows(adding('api-server/new.ts', kind), mayImport)).toEqual([['api-server/new.ts', kind]]);
  const floors = packageFloors.scheduler ?? [];
  const up = packageModules(adding('scheduler/demand/new.ts', 'scheduler/scores/score.ts'), 'scheduler');
  expect(arrowsUp(up, floors)).toEqual([['demand/new.ts', 'scores/score.ts']]);
  const beside = packageModules(adding('scheduler/queue/new.ts', 'scheduler/view/cluster-view.ts'), 'scheduler');
  expect(arrowsUp(beside, floors)).toEqual([['queue/new.ts', 'view/cluster-view.ts']]);
  const unlisted = packageModules(adding('scheduler/attic/new.ts', 'scheduler/demand/demand.ts'), 'scheduler');
  expect(misplacedFolders(unlisted, floors)).toEqual(['attic']);
  expect(misplacedFolders(packageModules(modules, 'scheduler'), [...floors, 'cellar'])).toEqual(['cellar']);
  const back = modules.map((module) =>
    module.path === 'scheduler/demand/demand.ts'
      ? { ...module, imports: [...module.imports, 'scheduler/scheduler.ts'] }
      : module,
  );
  expect(circlesOf(back)).toHaveLength(1);
  expect(circlesOf(back)).toContainEqual(
    expect.arrayContaining(['scheduler/demand/demand.ts', 'scheduler/scheduler.ts']),
  );
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
const machineTime = ['start-cluster.ts', 'run-cluster.ts', 'step-time.ts'].map((file) => `devcluster/src/${file}`);

/** The watchdog measures the event loop of this process, from a thread that outlives any clock. */
const watchdog = 'api-machinery/src/event-loop/watchdog';

test('devcluster lives by the clock it is handed; that of the machine is only what it is handed by default', () => {
  const reading = /(?<![.\w])(Date\.now|performance\.now|setTimeout|setInterval)\(|new Date\(\)/;
  const unclocked = /new Kube\((?:[^()]|\([^()]*\))*\)/g;
  const found = wing
    .flatMap((name) => sources.get(name) ?? [])
    .filter(isProduct)
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

test('no file of the product has more than 400 lines', () => {
  const long = all().filter((source) => isProduct(source) && source.text.split('\n').length > 401);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test('no inner index files, and no rooms for strangers', () => {
  const names = /(^|\/)(utils?|helpers?|types|constants|common|misc)\.ts$/;
  const inner = all().filter(({ path }) => {
    const inside = path.split('/src/')[1] ?? '';
    return names.test(inside) || (inside.endsWith('/index.ts') && inside !== 'testing/index.ts');
  });
  expect(inner.map(({ path }) => path)).toEqual([]);
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
