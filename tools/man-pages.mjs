// @ts-check
/** Writes the manual pages of the built command to a folder: `node tools/man-pages.mjs FOLDER`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandTree } from '../packages/cli/dist/command-line.js';
import { manPages } from '../packages/cli/dist/runtime/man-page.js';
import { version } from '../packages/cli/dist/runtime/program.js';

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('no folder is named\nTo fix: node tools/man-pages.mjs FOLDER\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const { file, text } of manPages(await commandTree(), version())) writeFileSync(join(folder, file), text);
