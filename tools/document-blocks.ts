import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import markdownIt from 'markdown-it';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A block of code in a document. */
export interface Block {
  /** Line of its first line of text, from 1. */
  readonly line: number;
  /** First word after the fence; empty for a block without one and for an indented block. */
  readonly language: string;
  /** Why its commands are not run: the words after `not-run:`. */
  readonly notRun?: string;
  readonly text: string;
}

/** A command that a document tells people to type. */
export interface Command {
  readonly line: number;
  readonly text: string;
  /** What the document shows as printed, if it shows anything. */
  readonly output?: string;
}

/** Blocks of commands only, and blocks of commands with their output. */
const commandLanguages = ['sh', 'console'];

/** Paths of all documents of the repository; those of test data are input of tests and not documents. */
export function allDocuments(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .trim()
    .split('\n')
    .filter((path) => !/^packages\/(devcluster\/)?[^/]+\/(testdata|templates)\//.test(path));
}

/** Paths of the documents whose commands tests run. */
export function runnableDocuments(): string[] {
  const covered = /^(README\.md|docs\/.+\.md|packages\/(devcluster\/)?[^/]+\/README\.md|examples\/.+\/README\.md)$/;
  return allDocuments().filter((path) => covered.test(path));
}

/** Reads the blocks of the document at `path`, relative to the root of the repository. */
export function readBlocks(path: string): Block[] {
  return blocksOf(readFileSync(join(root, path), 'utf8'));
}

/** The blocks of a Markdown text, fenced and indented, those in lists included. */
export function blocksOf(markdown: string): Block[] {
  return markdownIt()
    .parse(markdown, {})
    .filter(({ type }) => type === 'fence' || type === 'code_block')
    .map(({ type, info, map, content }) => {
      const [, language = '', notRun] = /^(\S*)\s*(?:not-run:\s*(.+))?/.exec(info.trim()) ?? [];
      const line = (map?.[0] ?? 0) + (type === 'fence' ? 2 : 1);
      return { line, language, text: content, ...(notRun !== undefined && { notRun }) };
    });
}

/** Whether a block holds commands. */
export function holdsCommands({ language }: Block): boolean {
  return commandLanguages.includes(language);
}

/**
 * The commands of a block in their order. In an `sh` block every line is one, except comments; in a `console` block
 * lines that begin with `$ ` are, and the lines below each are its output. A line that ends in `\` goes on in the next.
 */
export function commandsOf({ language, text, line }: Block): Command[] {
  const commands: { line: number; text: string; output?: string }[] = [];
  let isContinued = false;
  for (const [index, each] of text.trimEnd().split('\n').entries()) {
    const last = commands.at(-1);
    const typed = language === 'sh' ? each : each.startsWith('$ ') ? each.slice(2) : undefined;
    if (isContinued && last) last.text += `\n${each.replace(/^> /, '')}`;
    else if (typed !== undefined && !/^\s*(#|$)/.test(typed)) {
      commands.push({ line: line + index, text: typed });
    } else if (typed === undefined && last) last.output = `${last.output ?? ''}${each}\n`;
    isContinued = each.endsWith('\\') && (isContinued || typed !== undefined);
  }
  return commands;
}
