import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  applyEdits,
  isTocCurrent,
  parseDocument,
  readSource,
  tableOfContents,
  tocEdit,
  writeWhole,
} from '@slipway/kep';
import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { openRepository, type RepositoryOptions, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly write?: boolean;
  readonly check?: boolean;
}

const maxBytes = 2 * 1024 * 1024;

/** `slipway kep toc`. */
export function toc({ terminal, signal, answer }: Invocation): Command {
  return withRepository(
    newCommand('toc', 'Write or check the tables of contents', [
      'slipway kep toc --write',
      'slipway kep toc --check --root ../enhancements',
      'slipway kep toc keps/sig-node/5620-balloons/README.md',
    ]),
  )
    .argument('[files...]', 'Markdown files or folders (default: all of the checkout)')
    .option('--write', 'write the tables that are not current')
    .option('--check', 'exit with 1 when a table is not current')
    .action((names: string[], options: Options) => {
      const named = names.length > 0;
      const { root, keps } = named ? { root: process.cwd(), keps: '' } : openRepository(options).layout;
      const files = named ? names.flatMap((name) => markdownBelow(demand(name))) : markdownBelow(keps);
      let stale = 0;
      let seen = 0;
      for (const file of files) {
        signal.throwIfAborted();
        const source = readSource(file, maxBytes);
        if (source?.text === undefined || source.encoding !== 'utf-8' || source.invalidAt !== undefined) {
          if (named)
            throw new CommandError(
              exit.usage,
              `${file} cannot be read as UTF-8 text`,
              'name a Markdown file below 2 MiB',
            );
          terminal.err(`${relative(root, file)}: left out, no UTF-8 text below 2 MiB\n`);
          continue;
        }
        const document = parseDocument(source.text);
        const table = tableOfContents(document);
        if (table === undefined) {
          if (named && !options.write && !options.check) throw noMarks(file);
          continue;
        }
        seen++;
        if (!options.write && !options.check) {
          terminal.out(`${named && files.length === 1 ? '' : `${relative(root, file)}\n`}${table}\n`);
          continue;
        }
        if (isTocCurrent(document)) continue;
        stale++;
        if (options.write) writeWhole(file, applyEdits(source.text, [tocEdit(document, table)]));
        terminal.out(`${relative(root, file) || file}: ${options.write ? 'written' : 'not current'}\n`);
      }
      if (!options.check && !options.write) return;
      terminal.err(`${stale} of ${seen} tables of contents ${options.write ? 'were' : 'are'} not current\n`);
      if (options.check && !options.write && stale > 0) {
        terminal.err('To fix: slipway kep toc --write\n');
        answer(exit.no);
      }
    });
}

function noMarks(file: string): CommandError {
  return new CommandError(
    exit.usage,
    `${file} has no <!-- toc --> and <!-- /toc -->`,
    'write both on lines of their own',
  );
}

function demand(path: string): string {
  if (!existsSync(path)) throw new CommandError(exit.usage, `there is no ${path}`, 'name a Markdown file or a folder');
  return path;
}

/** The Markdown files below a folder, or the file itself; links are left out. */
function markdownBelow(path: string): readonly string[] {
  const stat = lstatSync(path);
  if (stat.isFile()) return [path];
  if (!stat.isDirectory()) return [];
  const entries = readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (entry.isDirectory())
      return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : markdownBelow(join(path, entry.name));
    return entry.isFile() && entry.name.endsWith('.md') ? [join(path, entry.name)] : [];
  });
}
