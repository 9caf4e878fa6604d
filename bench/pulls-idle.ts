import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { end, residentMegabytes } from './support/cluster.js';
import { quantile, report } from './support/report.js';

/**
 * Memory of the limiter as its service runs it, long after the last call, beside a Node.js that only listens for HTTP/2.
 * Garbage of the start is collected when nothing has happened for a while, so both wait for that.
 */
const settleMs = Number(process.env.BENCH_SETTLE_MS ?? 30_000);
const processes = 3;
const program = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));
const runtimeProgram = fileURLToPath(new URL('./support/pulls-runtime.js', import.meta.url));
const bareProgram = `
  import { createServer } from 'node:http2';
  createServer().listen(process.argv[1], () => console.log('Listening'));
`;

const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
const runtimePath = join(folder, 'runtime.sock');
const runtime = await listening(spawn(process.execPath, [runtimeProgram, runtimePath]));
const bare = await started((at) => ['--input-type=module', '-e', bareProgram, `${at}.sock`]);
const daemons = await started((at) => {
  writeFileSync(
    `${at}.yaml`,
    [
      `runtime: ${runtimePath}`,
      `listen: ${at}.image.sock`,
      'limit: 4',
      'metrics: 127.0.0.1:0',
      `journal: {dir: ${at}}`,
    ].join('\n'),
  );
  return [program, 'pulls', 'serve', '--config', `${at}.yaml`];
});
await setTimeout(settleMs);
const value = resident(daemons);
const rows = [
  { name: 'Node.js with http2', value: resident(bare) },
  { name: 'goal', value: 52 },
].map((anchor) => ({ what: 'memory, idle', unit: 'MB', value, anchor, better: 'less' }) as const);
for (const child of [...bare, ...daemons]) child.kill('SIGKILL');
await end(runtime);
rmSync(folder, { recursive: true, force: true });
report('pulls-idle', rows);

function resident(children: readonly ChildProcess[]): number {
  const each = children.map(({ pid = 0 }) => residentMegabytes(pid));
  return quantile(each, 0.5);
}

/** Several at once, because the memory of one differs from that of the next. */
async function started(wordsOf: (at: string) => readonly string[]): Promise<readonly ChildProcess[]> {
  const places = Array.from({ length: processes }, () => mkdtempSync(join(folder, 'at-')));
  return await Promise.all(places.map((at) => listening(spawn(process.execPath, wordsOf(at)))));
}

async function listening(child: ChildProcess): Promise<ChildProcess> {
  child.stderr?.resume();
  return await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)));
    child.stdout?.once('data', () => resolve(child));
  });
}
