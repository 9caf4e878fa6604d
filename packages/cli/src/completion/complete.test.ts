import { Argument, type Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { nouns } from '../command-line.js';
import { newCommand } from '../runtime/command.js';
import { buildProgram } from '../runtime/program.js';
import { recordedTerminal } from '../testing/recorded-terminal.js';
import { complete } from './complete.js';

const catchFish = newCommand('catch', 'Catch fish')
  .argument('<gate>')
  .argument('[files...]')
  .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json']))
  .option('-n, --namespace <name>', 'where')
  .option('--wait', 'until done');
const tree: Command = newCommand('slipway', '').addCommand(
  newCommand('fish', 'Fish')
    .addCommand(catchFish)
    .addCommand(newCommand('cook', 'Cook fish').addArgument(new Argument('<how>', '').choices(['raw', 'fried']))),
);

test.each([
  [[''], ['fish'], false],
  [['fish', 'c'], ['catch', 'cook'], false],
  [['fish', 'catch', '--'], ['--output', '--namespace', '--wait', '--help'], false],
  [['fish', 'catch', '--wait', '--w'], [], false],
  [['fish', 'catch', '-o', 'j'], ['json'], false],
  [['fish', 'catch', '--output=j'], ['--output=json'], false],
  [['fish', 'catch', '--wait', ''], ['feature of all'], false],
  [['fish', 'catch', '--namespace', 'sea', ''], ['feature of sea'], false],
  [['fish', 'catch', '--namespace', ''], ['namespace of all'], false],
  [['fish', 'catch', 'Cod', ''], [], true],
  [['fish', 'catch', 'Cod', 'a', 'b', ''], [], true],
  [['fish', 'catch', '--', '--'], [], false],
  [['fish', 'cook', 'f'], ['fried'], false],
  [['fish', 'cook', 'raw', ''], [], false],
  [['fihs', ''], [], false],
])('complete() of %j is %j', async (typed, words, files) => {
  const found = await complete(tree, typed, async (kind, options) => [
    `${kind} of ${options.get('--namespace') ?? 'all'}`,
  ]);
  expect({ words: found.candidates.map(({ word }) => word), files: found.files }).toEqual({ words, files });
});

test('complete() reaches every command, and every option of each', async () => {
  const invocation = { terminal: recordedTerminal().terminal, signal: new AbortController().signal, answer: () => {} };
  const program = await buildProgram(nouns, invocation, () => true);
  const words = async (...typed: string[]) =>
    (await complete(program, typed, async () => [])).candidates.map(({ word }) => word);
  let seen = 0;
  const visit = async (command: Command, path: readonly string[]): Promise<void> => {
    seen += 1;
    const visible = command.createHelp().visibleOptions(command);
    expect(await words(...path, '--')).toEqual(visible.flatMap(({ long }) => long ?? []));
    if (command.commands.length > 0)
      expect(await words(...path, '')).toEqual(command.commands.map((each) => each.name()));
    for (const sub of command.commands) await visit(sub, [...path, sub.name()]);
  };
  await visit(program, []);
  expect(seen).toBeGreaterThan(80);
});

test.each([
  [['--take'], ['--take-over']],
  [['--kubelet-config'], ['--kubelet-config', '--kubelet-config-dir']],
  [
    ['--on-full', ''],
    ['wait', 'retry', 'fail'],
  ],
])('complete() of slipway pulls serve %j is %j', async (typed, words) => {
  const invocation = { terminal: recordedTerminal().terminal, signal: new AbortController().signal, answer: () => {} };
  const program = await buildProgram(nouns, invocation, (noun) => noun === 'pulls');
  const { candidates } = await complete(program, ['pulls', 'serve', ...typed], async () => []);
  expect(candidates.map(({ word }) => word)).toEqual(words);
});
