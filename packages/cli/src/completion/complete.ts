import type { Argument, Command, Option } from 'commander';

/** One word that may stand in the place of the one being typed. */
export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

/** What may be typed next. With `files`, the shell adds names of files. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly files: boolean;
}

/** Kinds of names that are not in the command tree but in a cluster or a kubeconfig. */
export type NameKind = 'feature' | 'node' | 'namespace' | 'context' | 'cluster';

/** Finds names of a kind, with the options that were typed already (`--context`). */
export type NameSource = (kind: NameKind, options: ReadonlyMap<string, string>) => Promise<readonly string[]>;

/**
 * Completes the last of the words that were typed after the program's name.
 * Knows nothing but the command tree, and asks `names` for the rest.
 */
export async function complete(program: Command, typed: readonly string[], names: NameSource): Promise<Completion> {
  const current = typed.at(-1) ?? '';
  const line = readLine(program, typed.slice(0, -1));
  const found = await candidatesFor(line, current, names);
  return { ...found, candidates: found.candidates.filter(({ word }) => word.startsWith(current)) };
}

interface Line {
  readonly command: Command;
  /** Options that were typed, by long flag, with their values. */
  readonly options: ReadonlyMap<string, string>;
  /** How many positional arguments stand before the word being typed. */
  readonly position: number;
  /** The option that the word being typed is the value of. */
  readonly awaiting: Option | undefined;
  /** Whether `--` was typed: only arguments follow. */
  readonly isArgumentsOnly: boolean;
}

function readLine(program: Command, before: readonly string[]): Line {
  let command = program;
  let position = 0;
  let awaiting: Option | undefined;
  let isArgumentsOnly = false;
  const options = new Map<string, string>();
  for (const word of before) {
    if (awaiting) {
      options.set(awaiting.long ?? '', word);
      awaiting = undefined;
    } else if (word === '--' && !isArgumentsOnly) {
      isArgumentsOnly = true;
    } else if (word.startsWith('-') && !isArgumentsOnly) {
      const [flag = '', value] = splitOnce(word);
      const option = optionOf(command, flag);
      if (option && value === undefined && option.required) awaiting = option;
      else if (option) options.set(option.long ?? flag, value ?? '');
    } else {
      const sub = position === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (sub) command = sub;
      else position += 1;
    }
  }
  return { command, options, position, awaiting, isArgumentsOnly };
}

async function candidatesFor(line: Line, current: string, names: NameSource): Promise<Completion> {
  const { command, options, awaiting, isArgumentsOnly } = line;
  if (awaiting) return await valuesOf(awaiting, options, names);
  if (current.startsWith('-') && !isArgumentsOnly) {
    const [flag = '', value] = splitOnce(current);
    const option = value === undefined ? undefined : optionOf(command, flag);
    if (!option) return { candidates: unusedOptions(command, options), files: false };
    const { candidates, files } = await valuesOf(option, options, names);
    return { candidates: candidates.map((each) => ({ ...each, word: `${flag}=${each.word}` })), files };
  }
  if (command.commands.length > 0 && line.position === 0) {
    const candidates = visibleCommands(command).map((each) => ({ word: each.name(), about: each.summary() }));
    return { candidates, files: false };
  }
  const argument = command.registeredArguments[line.position] ?? lastVariadic(command);
  return argument ? await valuesOf(argument, options, names) : { candidates: [], files: false };
}

function visibleCommands(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function unusedOptions(command: Command, used: ReadonlyMap<string, string>): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long && !used.has(long))
    .map(({ long, description }) => ({ word: long ?? '', about: description }));
}

async function valuesOf(
  place: Option | Argument,
  options: ReadonlyMap<string, string>,
  names: NameSource,
): Promise<Completion> {
  if (place.argChoices) return { candidates: place.argChoices.map((word) => ({ word })), files: false };
  const kind = kindOf(place);
  if (kind === 'file') return { candidates: [], files: true };
  if (!kind) return { candidates: [], files: false };
  return { candidates: (await names(kind, options)).map((word) => ({ word })), files: false };
}

const namesOfOptions: Readonly<Record<string, NameKind>> = {
  '--namespace': 'namespace',
  '--context': 'context',
  '--node': 'node',
};
const namesOfArguments: Readonly<Record<string, NameKind>> = {
  gate: 'feature',
  gates: 'feature',
  node: 'node',
  nodes: 'node',
};
const fileWords = /^(file|files|path|dir|folder|socket|targets|template)$/;

/** What an option or argument names, by the word in its brackets: `<gate>`, `<file>`. */
function kindOf(place: Option | Argument): NameKind | 'file' | undefined {
  if (!('flags' in place)) return namesOfArguments[place.name()] ?? (fileWords.test(place.name()) ? 'file' : undefined);
  const [, word = ''] = /[<[]([^>\].]+)/.exec(place.flags) ?? [];
  if (fileWords.test(word)) return 'file';
  if (place.long === '--name' && place.description.includes('the one kubectl talks to')) return 'cluster';
  return namesOfOptions[place.long ?? ''];
}

function lastVariadic({ registeredArguments }: Command): Argument | undefined {
  const last = registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag);
}

function splitOnce(word: string): readonly [string, string?] {
  const at = word.indexOf('=');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
