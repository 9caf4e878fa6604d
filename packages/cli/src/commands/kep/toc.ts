import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  applyEdits,
  isTocCurrent,
  parseDocument,
  readSource,
  type Source,
  type TocEngine,
  tableOfContents,
  tocEdit,
  tocEngines,
  writeWhole,
} from '@slipway/kep';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Content } from '../../output/content.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { expectShortRun } from '../../runtime/short-run.js';
import { openRepository, type RepositoryOptions, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly write?: boolean;
  readonly check?: boolean;
  readonly engine: TocEngine;
  readonly maxDepth: number;
  readonly format: Format;
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
    .option('--write', 'write outdated tables')
    .option('--check', 'exit with 1 if a table is outdated')
    .addOption(
      new Option('--engine <engine>', 'anchors of the generator of kubernetes/enhancements, or of GitHub')
        .choices(tocEngines)
        .default('mdtoc'),
    )
    .addOption(new Option('--max-depth <level>', 'leave deeper headings out').default(5).argParser(levelOf))
    .addOption(outcomeOption())
    .action((names: string[], options: Options) => {
      expectShortRun();
      const named = names.length > 0;
      const { root, keps } = named ? { root: process.cwd(), keps: '' } : openRepository(options).layout;
      const unread: string[] = [];
      const leaveOut = (path: string, why: string) => {
        unread.push(path);
        terminal.err(`${relative(root, path)}: left out: ${why}\n`);
      };
      const files = named
        ? names.flatMap((name) => markdownBelow(demand(name), leaveOut))
        : markdownBelow(keps, leaveOut);
      const stale: string[] = [];
      const tables: Record<string, string> = {};
      const isJson = options.format !== 'table';
      let seen = 0;
      for (const file of files) {
        signal.throwIfAborted();
        const source = sourceOf(file, leaveOut);
        if (source === undefined) continue;
        if (source.text === undefined || source.encoding !== 'utf-8' || source.invalidAt !== undefined) {
          if (named)
            throw new CommandError(
              exit.usage,
              `${file} cannot be read as UTF-8 text`,
              'name a Markdown file below 2 MiB',
            );
          leaveOut(file, 'it is not UTF-8 text below 2 MiB');
          continue;
        }
        const document = parseDocument(source.text);
        const table = tableOfContents(document, options);
        if (table === undefined) {
          if (named && !options.write && !options.check) throw noMarks(file);
          continue;
        }
        seen++;
        if (!options.write && !options.check) {
          tables[relative(root, file) || file] = table;
          if (!isJson)
            terminal.out(new Content(`${named && files.length === 1 ? '' : `${relative(root, file)}\n`}${table}\n`));
          continue;
        }
        if (isTocCurrent(document, options)) continue;
        stale.push(relative(root, file) || file);
        if (options.write) writeWhole(file, applyEdits(source.text, [tocEdit(document, table)]));
        if (!isJson) terminal.out(`${stale.at(-1)}: ${options.write ? 'written' : 'not current'}\n`);
      }
      const document = { version: 1, checked: seen, stale, written: options.write === true, tables };
      if (isJson) terminal.out(renderOutcome(options.format, '', document));
      if (unread.length > 0) answer(exit.unknown);
      if (!options.check && !options.write) return;
      terminal.err(`${stale.length} of ${seen} tables of contents ${options.write ? 'were' : 'are'} not current\n`);
      if (options.check && !options.write && stale.length > 0) {
        terminal.err('To fix: slipway kep toc --write\n');
        answer(exit.no);
      }
    });
}

function levelOf(text: string): number {
  const level = Number(text);
  if (!Number.isInteger(level) || level < 1 || level > 6) throw new InvalidArgumentError('a number from 1 to 6');
  return level;
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

/** Told of a path that cannot be read, and why. */
type LeaveOut = (path: string, why: string) => void;

function sourceOf(file: string, leaveOut: LeaveOut): Source | undefined {
  try {
    return readSource(file, maxBytes);
  } catch (error) {
    leaveOut(file, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** The Markdown files below a folder, or the file itself; links are left out. */
function markdownBelow(path: string, leaveOut: LeaveOut): readonly string[] {
  const stat = lstatSync(path);
  if (stat.isFile()) return [path];
  if (!stat.isDirectory()) return [];
  let entries: Dirent[];
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch (error) {
    leaveOut(path, error instanceof Error ? error.message : String(error));
    return [];
  }
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const isHidden = entry.name === 'node_modules' || entry.name.startsWith('.');
    if (entry.isDirectory()) return isHidden ? [] : markdownBelow(join(path, entry.name), leaveOut);
    return entry.isFile() && entry.name.endsWith('.md') ? [join(path, entry.name)] : [];
  });
}
