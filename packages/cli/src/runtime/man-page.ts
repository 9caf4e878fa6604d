import type { Argument, Command, Option } from 'commander';
import { examplesOf } from './command.js';
import { exit } from './exit.js';

/** One manual page, as a file of the folder `man1`. */
export interface ManPage {
  readonly file: string;
  readonly text: string;
}

/** The manual pages of a command and all below it, made from the same texts as `--help`. */
export function manPages(program: Command, version: string): readonly ManPage[] {
  const pages = (command: Command, path: readonly string[]): readonly ManPage[] => [
    { file: `${path.join('-')}.1`, text: manPage(command, path, version) },
    ...visibleCommands(command).flatMap((sub) => pages(sub, [...path, sub.name()])),
  ];
  return pages(program, ['slipway']);
}

function manPage(command: Command, path: readonly string[], version: string): string {
  const name = path.join('-');
  const subs = visibleCommands(command);
  const examples = examplesOf(command);
  return [
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`Slipway ${version}`)} "Slipway"`,
    '.SH NAME',
    `${plain(name)} \\- ${plain(command.summary() || command.description())}`,
    '.SH SYNOPSIS',
    `.B ${plain(path.join(' '))}`,
    plain(synopsis(command)),
    ...(path.length === 1 ? ['.SH DESCRIPTION', plain(`${command.description()}.`)] : []),
    ...section('COMMANDS', subs, (sub) => [
      `.B ${plain([...path, sub.name()].join(' '))}`,
      `${plain(sub.summary())}. See ${bold([...path, sub.name()].join('-'))}(1).`,
    ]),
    ...section('ARGUMENTS', describedArguments(command), (argument) => [
      `.I ${plain(argument.name())}`,
      plain(command.createHelp().argumentDescription(argument)),
    ]),
    ...section('OPTIONS', command.createHelp().visibleOptions(command), (option: Option) => [
      bold(option.flags),
      plain(command.createHelp().optionDescription(option)),
    ]),
    ...(examples.length > 0 ? ['.SH EXAMPLES', '.nf', ...examples.map(literal), '.fi'] : []),
    ...section('EXIT STATUS', exitStatus, ([code, meaning]) => [`.B ${code}`, plain(meaning)]),
    ...(path.length > 1 ? ['.SH SEE ALSO', `${bold(path.slice(0, -1).join('-'))}(1)`] : []),
    '',
  ].join('\n');
}

const exitStatus: readonly (readonly [number, string])[] = [
  [exit.ok, 'yes, or done'],
  [exit.no, 'the answer is no: findings, blocked, already running'],
  [exit.usage, 'wrong usage, or input that cannot be read'],
  [exit.unknown, 'not known: incomplete, or not done within --timeout'],
  [exit.cluster, 'the cluster refused, or cannot be reached'],
  [exit.bug, 'unexpected: a bug of Slipway'],
];

function section<Item>(
  title: string,
  items: readonly Item[],
  entry: (item: Item) => readonly [string, string],
): readonly string[] {
  return items.length === 0 ? [] : [`.SH ${title}`, ...items.flatMap((item) => ['.TP', ...entry(item)])];
}

function visibleCommands(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function describedArguments(command: Command): readonly Argument[] {
  return command.registeredArguments.filter(({ description, argChoices }) => description || argChoices);
}

/** What stands behind the name in `--help`: `[options] <gate>`. */
function synopsis(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return ['[options]', ...(command.commands.length > 0 ? ['<command>'] : words)].join(' ');
}

function bold(text: string): string {
  return `\\fB${plain(text)}\\fR`;
}

function quoted(text: string): string {
  return `"${plain(text).replaceAll('"', '\\(dq')}"`;
}

/** Text that the formatter prints as it is: its own characters are escaped, and no line begins with a request. */
function plain(text: string): string {
  return literal(text.replace(/\s+/g, ' ').trim());
}

/** The same, with its spaces. Characters beyond ASCII are written by their number. */
function literal(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&')
    .replace(
      /[^\n\x20-\x7e]/gu,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
