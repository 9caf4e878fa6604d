import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultConfig, KepRepository, ResultCache } from '@slipway/kep';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../testing/test-folder.js';
import { allTargets, runRules } from './run-rules.js';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

/** Checkouts that change step by step; CI tries more. */
const numRuns = 4 * Number(process.env.SLIPWAY_SIMULATION_RUNS ?? 5);
const groups = ['sig-node', 'sig-apps'];
const numbers = [1, 2, 3, 4];
const places = groups.flatMap((group, at) => numbers.map((number) => `keps/${group}/${number + at * 10}-thing`));

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A checkout whose proposals point to each other, to files, to approvals and to owners. */
function checkout(root: string): void {
  write(root, 'OWNERS_ALIASES', 'aliases:\n  sig-node-leads: [ann]\n  prod-readiness-approvers: [ann, bob]\n');
  for (const [at, place] of places.entries()) {
    const [, group = '', name = ''] = place.split('/');
    const other = places[(at + 3) % places.length];
    const number = name.split('-')[0];
    write(
      root,
      `${place}/kep.yaml`,
      `title: Thing\nkep-number: ${number}\nauthors: ["@ann"]\nowning-sig: ${group}\nstatus: implementable\n` +
        `stage: alpha\nsee-also: ["/${other}"]\nreplaces: ["/${places[at - 1] ?? other}"]\napprovers: ["sig-node-leads"]\n`,
    );
    write(root, `${place}/README.md`, `# KEP-${number}: Thing\n\n## Summary\n\nSee [it](../${name}/x.png) and more.\n`);
    if (at % 2 === 0) write(root, `keps/prod-readiness/${group}/${number}.yaml`, 'alpha:\n  approver: "@ann"\n');
    write(root, `${place}/OWNERS`, 'approvers: [ann]\n');
  }
}

/** A time up to which the files here are settled: every later change has a later one. */
function settled(root: string, last: string): number {
  const written = statSync(join(root, last)).ctimeMs;
  for (;;) {
    writeFileSync(join(root, 'clock'), '');
    const now = statSync(join(root, 'clock')).ctimeMs;
    if (now > written) return (now + written) / 2 + 2_500;
  }
}

async function run(root: string, cache?: (repository: KepRepository) => ResultCache) {
  const repository = new KepRepository({ root, keps: join(root, 'keps') }, defaultConfig);
  let loads = 0;
  const counted = allTargetsOf(repository);
  const { results, aims } = await runRules(repository, counted, {
    stage: undefined,
    baseline: undefined,
    keepFacts: false,
    cache: cache?.(repository),
    signal: new AbortController().signal,
    progress: () => {},
  });
  return { findings: JSON.parse(JSON.stringify(results.flatMap((result) => result.findings))), aims: [...aims], loads };

  function* allTargetsOf(of: KepRepository) {
    for (const target of allTargets(of, of.keps()))
      yield {
        ...target,
        kep: () => {
          loads++;
          return target.kep();
        },
      };
  }
}

const change = fc.record({
  what: fc.constantFrom(
    'append',
    'sameSize',
    'status',
    'touch',
    'delete',
    'deleteFile',
    'move',
    'copy',
    'approval',
    'owners',
    'aliases',
    'stray',
    'cache',
  ),
  one: fc.nat(places.length - 1),
  other: fc.nat(places.length - 1),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(root: string, cacheFile: string, { what, one, other }: Change): void {
  const place = join(root, places[one] ?? '');
  const target = join(root, places[other] ?? '');
  const readme = join(place, 'README.md');
  const isThere = existsSync(readme);
  const replace = (path: string, from: RegExp, to: string) => {
    if (existsSync(path)) writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  if (what === 'append' && isThere) appendFileSync(readme, '\n## Motivation\n\nTODO: more\n');
  if (what === 'sameSize') replace(readme, /more/, 'TODO');
  if (what === 'status') replace(join(place, 'kep.yaml'), /status: \w+/, 'status: withdrawn');
  if (what === 'touch' && isThere) utimesSync(readme, 1_000, 1_000 + one);
  if (what === 'delete') rmSync(place, { recursive: true, force: true });
  if (what === 'deleteFile') rmSync(one % 2 === 0 ? readme : join(place, 'kep.yaml'), { force: true });
  if (what === 'move' && existsSync(place) && !existsSync(target)) renameSync(place, target);
  if (what === 'copy' && existsSync(place)) cpSync(place, `${target}-again`, { recursive: true });
  if (what === 'approval') write(root, `keps/prod-readiness/sig-apps/${other}.yaml`, 'alpha:\n  approver: "@eve"\n');
  if (what === 'owners') write(root, `${places[one]}/OWNERS`, 'approvers: [eve]\n');
  if (what === 'aliases') write(root, 'OWNERS_ALIASES', `aliases:\n  sig-node-leads: [p${other}]\n`);
  if (what === 'stray') write(root, `keps/sig-node/notes-${other}/README.md`, '# Notes\n');
  if (what === 'cache' && existsSync(cacheFile)) {
    const bytes = readFileSync(cacheFile);
    const at = (one * 7_919 + other * 104_729) % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(cacheFile, bytes.subarray(0, other === 0 ? at : bytes.length));
  }
}

describe('ResultCache', () => {
  test('finds what a cold run finds, after whatever changes', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 5 }), async (steps) => {
        const root = join(folder, `${round++}`);
        checkout(root);
        const nowMs = settled(root, `${places.at(-1)}/OWNERS`);
        const file = join(folder, `${round}.results`);
        const cache = (repository: KepRepository) => new ResultCache(repository, file, '', () => nowMs);
        await run(root, cache);
        for (const step of steps) {
          for (const each of step) apply(root, file, each);
          const { loads: _, ...warm } = await run(root, cache);
          const { loads: __, ...cold } = await run(root);
          expect(warm).toEqual(cold);
        }
      }),
      { numRuns },
    );
  }, 120_000);

  test('checks only what changed, and nothing when nothing did', async () => {
    checkout(folder);
    const nowMs = settled(folder, `${places.at(-1)}/OWNERS`);
    const cache = (repository: KepRepository) => new ResultCache(repository, join(folder, 'results'), '', () => nowMs);
    const first = await run(folder, cache);
    const second = await run(folder, cache);
    const written = readFileSync(join(folder, 'results'), 'utf8');
    appendFileSync(join(folder, `${places[0]}/README.md`), 'more\n');
    const third = await run(folder, cache);
    expect([first.loads, second.loads, third.loads]).toEqual([places.length, 0, 1]);
    // Writing the results of all proposals would take longer than checking this one again.
    expect(readFileSync(join(folder, 'results'), 'utf8')).toBe(written);
    expect((await run(folder, cache)).findings).toEqual(third.findings);
  });

  test.each([
    ['of another configuration', defaultConfig.template, 'a baseline'],
    ['that was cut', 'cut', ''],
    ['of others', 'other', ''],
  ])('ignores a file %s', async (_, how, context) => {
    checkout(folder);
    const file = join(folder, 'results');
    await run(folder, (repository) => new ResultCache(repository, file, '', Date.now));
    if (how === 'cut') writeFileSync(file, readFileSync(file).subarray(0, 5_000));
    if (how === 'other') writeFileSync(file, '{"looks": {}, "results": {}}\n');
    const { loads } = await run(folder, (repository) => new ResultCache(repository, file, context, Date.now));
    expect(loads).toBe(places.length);
  });

  test('does without a file that it cannot write', async () => {
    checkout(folder);
    mkdirSync(join(folder, 'results'));
    const warm = await run(folder, (each) => new ResultCache(each, join(folder, 'results'), '', Date.now));
    expect(warm).toEqual(await run(folder));
  });
});
