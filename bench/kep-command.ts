import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultConfig, KepRepository, layoutOf } from '@slipway/kep';
import { report } from './support/report.js';

/**
 * `slipway kep check` as it is typed: all proposals for the first time, again after one edit, and one of them; beside the start of
 * Node and upstream's validator. SLIPWAY_KEP_CORPUS names a checkout of kubernetes/enhancements.
 */
const corpus = process.env.SLIPWAY_KEP_CORPUS ?? '';
if (!existsSync(join(corpus, 'keps'))) {
  process.stdout.write(
    'kep-command: needs proposals. To run: set SLIPWAY_KEP_CORPUS to a checkout of kubernetes/enhancements\n',
  );
  process.exit(0);
}

const command = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));
const edited = 'keps/sig-node/1287-in-place-update-pod-resources';
const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
const root = join(folder, 'enhancements');

interface Used {
  readonly cpuMs: number;
  readonly megabytes: number;
}

/** Processor time and memory of one run, which the process itself tells at its end. */
function run(words: readonly string[], cache: string): Used {
  const tell = `process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.stderr.write(['\\nused', userCPUTime + systemCPUTime, maxRSS].join(' '));
  })`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(tell)}`];
  const { stderr } = spawnSync(process.execPath, [...options, ...words], {
    encoding: 'utf8',
    // With certificates of its own, each start of Node reads all it knows, for 30 ms.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, XDG_CACHE_HOME: join(folder, cache) },
    maxBuffer: 1024 * 1024 * 1024,
  });
  const [, micros, kilobytes] = /\nused (\d+) (\d+)$/.exec(stderr) ?? [];
  if (micros === undefined) throw new Error(`the run did not end well: ${stderr.slice(0, 2_000)}`);
  return { cpuMs: Number(micros) / 1_000, megabytes: Number(kilobytes) / 1_000 };
}

/** Rounds of each take turns, so that a busy moment falls on all alike. */
function inTurns(parts: Readonly<Record<string, (round: number) => Used>>): Readonly<Record<string, Used>> {
  const samples = new Map<string, Used[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, part] of Object.entries(parts)) samples.set(name, [...(samples.get(name) ?? []), part(round)]);
  }
  // What else runs at once only adds to the processor time of a round.
  const least = (all: readonly Used[], of: (used: Used) => number) => Math.min(...all.map(of));
  return Object.fromEntries(
    [...samples].map(([name, all]) => [
      name,
      { cpuMs: least(all, ({ cpuMs }) => cpuMs), megabytes: least(all, ({ megabytes }) => megabytes) },
    ]),
  );
}

/** Milliseconds in which upstream's validators read and judge the metadata of all, and nothing else; undefined where Go is missing. */
function upstreamMs(): number | undefined {
  const program = fileURLToPath(new URL('../../packages/kep/testdata/upstream-validator/main.go', import.meta.url));
  const overlay = join(folder, 'overlay.json');
  const tool = join(folder, 'validator');
  writeFileSync(overlay, JSON.stringify({ Replace: { [join(corpus, 'cmd/slipway/main.go')]: program } }));
  const built = spawnSync('go', ['build', '-overlay', overlay, '-o', tool, './cmd/slipway'], { cwd: corpus });
  if (built.status !== 0) return undefined;
  const layout = layoutOf(root);
  const repository = layout && new KepRepository(layout, defaultConfig);
  const cases = (repository?.keps() ?? []).map((found) => {
    const { yaml, approval } = repository?.load(found) ?? {};
    return { kep: yaml?.text ?? '', approval: approval?.text ?? '' };
  });
  const input = JSON.stringify(cases);
  const began = performance.now();
  const { status } = spawnSync(tool, { input, maxBuffer: 256 * 1024 * 1024 });
  return status === 0 ? performance.now() - began : undefined;
}

try {
  cpSync(join(corpus, 'keps'), join(root, 'keps'), { recursive: true });
  cpSync(join(corpus, 'OWNERS_ALIASES'), join(root, 'OWNERS_ALIASES'));
  const all = [command, 'kep', 'check', '--root', root, '--output', 'json', '--output-file', join(folder, 'out.json')];
  run([...all, '--fail-on', 'never'], 'warm');
  const used = inTurns({
    node: () => run(['-e', '0'], 'none'),
    first: (round) => run([...all, '--fail-on', 'never'], `cold-${round}`),
    second: () => {
      appendFileSync(join(root, edited, 'README.md'), '\nOne more line.\n');
      return run([...all, '--fail-on', 'never'], 'warm');
    },
    one: () => run([command, 'kep', 'check', join(root, edited), '--root', root, '--fail-on', 'never'], 'none'),
  });
  const upstream = upstreamMs();
  const row = (what: string, value = 0, anchor: string, beside: number, unit = 'ms') => ({
    what,
    unit,
    value,
    anchor: { name: anchor, value: beside },
    better: 'less' as const,
  });
  const nodeMs = used.node?.cpuMs ?? Number.NaN;
  const first = 'all proposals, first run, CPU';
  report('kep-command', [
    row(first, used.first?.cpuMs, 'target', 1_500),
    row(first, used.first?.cpuMs, 'start of Node', nodeMs),
    ...(upstream === undefined
      ? []
      : [row(first, used.first?.cpuMs, "upstream's validators, metadata only", upstream)]),
    row('all proposals, first run, resident', used.first?.megabytes, 'target', 200, 'MB'),
    row('after one edit, CPU', used.second?.cpuMs, 'target', 200),
    row('after one edit, CPU', used.second?.cpuMs, 'first run', used.first?.cpuMs ?? Number.NaN),
    row('one proposal, CPU', used.one?.cpuMs, 'target', 120),
    row('one proposal, CPU', used.one?.cpuMs, 'start of Node', nodeMs),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
