// @ts-check
/**
 * Runs `kep.cjs` on the proposals of this repository, and writes the code that V8 has by then: functions that were not called are
 * compiled when they are. Called by `bundle-kep.mjs` with the path of the repository.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import { compiledCodePath, compiledHeaderBytes, runProgram } from '../packages/cli/dist/runtime/compiled-program.js';

const root = process.argv[2] ?? '';
const path = join(root, 'packages/cli/dist/lib/kep.cjs');
const source = readFileSync(path, 'latin1');
const cases = join(root, 'packages/kep/testdata/rules');
const all = ['check', '--root', cases, '--fail-on', 'never'];
const folder = mkdtempSync(join(tmpdir(), 'slipway-compile-'));
process.env.XDG_CACHE_HOME = folder;
// Code is of use only to processes that begin with the flags it was made under. Meanwhile no code is forgotten.
const { setFlagsFromString } = v8;
v8.setFlagsFromString = () => {};
setFlagsFromString('--no-flush-bytecode');
try {
  const { script, exports } = runProgram(path, source);
  const { runCommandLine } = /** @type {typeof import('../packages/cli/dist/command-line.js')} */ (exports);
  const commands = [
    all,
    [...all, '--output', 'json', '--output-file', join(folder, 'findings.json')],
    ['check', join(root, 'keps/sig-node/5620-node-balloons'), '--root', root, '--fail-on', 'never'],
    ['toc', '--check', '--root', root],
    ['status', '--root', root],
    ['list', '--root', root],
  ];
  for (const words of commands) {
    const code = await runCommandLine(['kep', ...words]);
    if (code !== 0) throw new Error(`slipway kep ${words.join(' ')} ended with ${code}`);
  }
  setFlagsFromString('--flush-bytecode');
  const header = Buffer.from(source.slice(0, compiledHeaderBytes), 'latin1');
  writeFileSync(compiledCodePath(path), Buffer.concat([header, script.createCachedData()]));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
