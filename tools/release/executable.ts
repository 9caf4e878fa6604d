import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ReleaseFile, sortFiles } from './release-file.js';

const main = fileURLToPath(new URL('./sea-main.cjs', import.meta.url));
const postject = join(dirname(createRequire(import.meta.url).resolve('postject')), 'cli.js');
/** What Node looks for in its own binary to find an application there. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Imports a module for a caller that cannot: the first code of a single executable has no import(). */
const importer = "module.exports = (file) => import(require('node:url').pathToFileURL(file).href);\n";

/**
 * Writes the command as one executable file: Node with the app folder inside.
 * @param node the Node binary to carry it
 * @param runnable the same version of Node for this machine
 */
export async function writeExecutable(
  path: string,
  app: readonly ReleaseFile[],
  node: string,
  runnable = node,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-executable-'));
  try {
    const files = sortFiles([...app, { path: 'bin/import.cjs', content: Buffer.from(importer) }]);
    const parts = files.map(({ path, content }) => ({ path, sha256: sha256(content), bytes: content.length }));
    const contents = JSON.stringify({ id: sha256(Buffer.from(JSON.stringify(parts))).slice(0, 16), parts });
    // One asset for all parts: Node looks at the name of each when it starts, and what lies around it stays in memory.
    writeFileSync(join(folder, 'parts'), Buffer.concat(files.map(({ content }) => content)));
    writeFileSync(join(folder, 'contents.json'), contents);
    const assets = { parts: join(folder, 'parts'), 'contents.json': join(folder, 'contents.json') };
    // Its path becomes part of the executable.
    copyFileSync(main, join(folder, 'main.cjs'));
    const config = { main: 'main.cjs', output: 'blob', disableExperimentalSEAWarning: true, assets };
    writeFileSync(join(folder, 'sea.json'), JSON.stringify(config));
    quietly(runnable, ['--experimental-sea-config', 'sea.json'], folder);
    copyFileSync(node, path);
    chmodSync(path, 0o755);
    quietly(process.execPath, [postject, path, 'NODE_SEA_BLOB', join(folder, 'blob'), '--sentinel-fuse', fuse]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Shows what a program prints, which is much, only when it fails. */
function quietly(program: string, args: readonly string[], cwd?: string): void {
  execFileSync(program, args, { ...(cwd && { cwd }), stdio: 'pipe' });
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
