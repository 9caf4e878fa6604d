import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { nouns } from './command-line.js';
import { asCalled } from './output/called-as.js';
import { examplesOf } from './runtime/command.js';
import { exit } from './runtime/exit.js';
import { buildProgram } from './runtime/program.js';
import { recordedRun } from './testing/recorded-run.js';
import { recordedTerminal } from './testing/recorded-terminal.js';

/** A fresh tree, whose commands do nothing. */
async function idleTree(): Promise<Command> {
  const { terminal } = recordedTerminal();
  const invocation = { terminal, signal: new AbortController().signal, answer: () => {} };
  const program = await buildProgram(nouns, invocation, () => true);
  for (const { command } of leaves(program)) command.action(() => {});
  return program;
}

function leaves(command: Command, path = 'slipway'): { readonly path: string; readonly command: Command }[] {
  if (command.commands.length === 0) return [{ path, command }];
  return command.commands.flatMap((sub) => leaves(sub, `${path} ${sub.name()}`));
}

const program = await idleTree();
const all = leaves(program);
const longFlags = (command: Command) => command.options.map(({ long }) => long);

/** What prints no data: it serves, or prints a script or a file as it is. */
const withoutOutput = [
  'slipway pulls serve',
  'slipway kep template show',
  'slipway kep lsp',
  'slipway run feature-server',
  'slipway run node-agent',
  'slipway run balloon-controller',
  'slipway completion',
  'slipway help',
];

test('every command that prints data has -o with a format for programs, and --help of it has examples', () => {
  expect(all.length).toBeGreaterThan(80);
  const isReadable = (command: Command) =>
    command.options.some(
      ({ short, long, argChoices = [] }) => `${short} ${long}` === '-o --output' && argChoices.includes('json'),
    );
  expect(all.filter(({ command }) => !isReadable(command)).map(({ path }) => path)).toEqual(withoutOutput);
  expect(all.filter(({ command }) => examplesOf(command).length === 0).map(({ path }) => path)).toEqual([]);
});

test('an option means the same wherever it is', () => {
  const same = ['--wait', '--output', '--output-file'];
  for (const long of same) {
    const found = all.flatMap(({ command }) => command.options.filter((option) => option.long === long));
    const meanings = new Set(found.map(({ flags, description }) => `${flags}: ${description}`));
    expect([...meanings], long).toHaveLength(1);
  }
});

test('--wait stands beside a --timeout in the same units, and whoever waits without it says for what', () => {
  for (const { path, command } of all) {
    const timeout = command.options.find(({ long }) => long === '--timeout');
    const waits = longFlags(command).includes('--wait');
    expect(waits && !timeout, path).toBe(false);
    if (!timeout) continue;
    expect(timeout.flags).toBe('--timeout <duration>');
    expect(timeout.description).toMatch(waits ? /^how long to wait; implies --wait, / : /^how long to wait for /);
    expect(timeout.parseArg?.('1m30s', undefined)).toBe(90_000);
  }
});

/** The words of an example behind `slipway`, without what the shell does and the note behind it; undefined for another program's. */
function wordsOf(example: string): readonly string[] | undefined {
  const [, command] = /\bslipway (.*?)(?: {3,}.*|\).*| [|<>] .*)?$/.exec(example) ?? [];
  if (command === undefined) return undefined;
  return Array.from(command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), ([, one, two, three]) => one ?? two ?? three ?? '');
}

test('every example under --help is a command line that its command takes', async () => {
  const tree = await idleTree();
  const ran: string[] = [];
  const commands = leaves(tree);
  for (const { path, command } of commands) command.action(() => void ran.push(path));
  for (const { path, command } of commands) {
    for (const example of examplesOf(command)) {
      const words = wordsOf(example);
      if (words === undefined) continue;
      await expect(tree.parseAsync([...words], { from: 'user' }), example).resolves.toBeDefined();
      expect(ran.at(-1), example).toBe(path);
    }
  }
  expect(ran.length).toBeGreaterThan(150);
});

test('a kubeconfig that cannot be read is said in one line by every command that takes one, as every example is typed', async () => {
  const kubeconfig = join(tmpdir(), 'there', 'is', 'none');
  const ran: string[] = [];
  for (const { command } of all.filter((leaf) => longFlags(leaf.command).includes('--context'))) {
    for (const example of examplesOf(command)) {
      const words = wordsOf(example)?.filter(
        (word, at, others) => word !== '--context' && others[at - 1] !== '--context',
      );
      if (!words || words.includes('--kubeconfig')) continue;
      // It starts a cluster of its own unless it is told not to.
      if (words[0] === 'feature' && words[1] === 'test' && !words.includes('current')) continue;
      const { code, out, err } = await recordedRun([...words, '--kubeconfig', kubeconfig]);
      expect([example, code, err]).not.toEqual([example, exit.bug, expect.anything()]);
      // Some find out before that a file of the example is not there; some do without a cluster.
      if (!err.includes(kubeconfig) || out !== '') continue;
      expect([example, code, err]).toEqual([example, exit.usage, expect.stringMatching(/^slipway: .*\nTo fix: .*\n$/)]);
      ran.push(example);
    }
  }
  expect(ran.length).toBeGreaterThan(80);
}, 120_000);

test('each command is written in examples and remedies as the user types it', () => {
  for (const { name } of nouns)
    expect(asCalled(`To fix: slipway ${name} x`, './slipway')).toContain(`./slipway ${name}`);
});

test('runbooks name commands and flags that exist', () => {
  const runbooks = fileURLToPath(new URL('../../../docs/operations/alerts/', import.meta.url));
  const texts = readdirSync(runbooks).map((file) => readFileSync(join(runbooks, file), 'utf8'));
  const typed = texts.flatMap((text) => [...text.matchAll(/`(slipway [^`]+)`/g)].map(([, words = '']) => words));
  expect(typed.length).toBeGreaterThan(20);
  for (const words of typed) {
    const found = all.find(({ path }) => `${words} `.startsWith(`${path} `));
    expect(found?.path, words).toBeDefined();
    for (const [flag] of words.matchAll(/--[a-z-]+/g)) expect(found && longFlags(found.command), words).toContain(flag);
  }
});
