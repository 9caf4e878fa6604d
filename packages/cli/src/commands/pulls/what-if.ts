import { readFileSync } from 'node:fs';
import {
  whatIf as askWhatIf,
  type Outlook,
  type PastPulls,
  pastPullsOf,
  pastPullsOfEvents,
  readJournal,
  type WhatIf,
} from '@slipway/image-pulls';
import { recordsInWords, secondsText, verdictInWords } from '@slipway/image-pulls/views';
import { errorMessage } from '@slipway/kube';
import { type Command, InvalidArgumentError } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { renderTable, type TableColumn } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import type { Terminal } from '../../runtime/terminal.js';

interface Options {
  readonly journal: string;
  readonly fromEvents?: string;
  readonly node?: string;
  readonly limits: readonly number[];
  readonly format: Format;
}

/** `slipway pulls what-if`. */
export function whatIf({ terminal, answer }: Invocation): Command {
  return newCommand('what-if', 'Compute from records what other limits would have meant, and which is best', [
    'slipway pulls what-if',
    'kubectl get events -A -o json > events.json && slipway pulls what-if --from-events events.json --node worker-3',
  ])
    .option('--journal <path>', 'the journal of a limiter, or a file of it', '/var/lib/slipway/pulls/journal')
    .option('--from-events <file>', 'events of kubelets instead, as kubectl get events -o json prints them')
    .option('--node <name>', 'only events of this node')
    .option('--limits <list>', 'limits to compare, such as 1-16 or 1,2,4', limitsArgument, limitsArgument('1-16'))
    .addOption(formatOption('table', 'json', 'yaml'))
    .action((options: Options) => {
      const past = options.fromEvents === undefined ? ofJournal(options.journal, terminal) : ofEvents(options);
      const told = askWhatIf(past, options.limits);
      terminal.out(
        options.format === 'table'
          ? textOf(told)
          : renderList(told.outlooks, { format: options.format, columns, document: told }),
      );
      if (told.verdict.kind === 'recommended') return;
      terminal.err(`To fix: ${'let pulls run for a while longer, under their usual load, and ask again'}\n`);
      answer(exit.unknown);
    });
}

function ofJournal(path: string, terminal: Terminal): PastPulls {
  const { entries, unreadable } = readable(path, () => readJournal(path));
  if (unreadable > 0) terminal.err(`Warning: ${unreadable} lines of ${path} cannot be read\n`);
  return pastPullsOf(entries);
}

function ofEvents({ fromEvents = '', node }: Options): PastPulls {
  const byNode = readable(fromEvents, () => pastPullsOfEvents(JSON.parse(readFileSync(fromEvents, 'utf8'))));
  const [first] = byNode.keys();
  const name = node ?? (byNode.size === 1 ? first : undefined);
  const past = name === undefined ? undefined : byNode.get(name);
  if (past) return past;
  const names = [...byNode.keys()].join(', ');
  if (names === '')
    throw new CommandError(
      exit.usage,
      `${fromEvents} has no events of pulls`,
      'take events of the last hour, of all namespaces',
    );
  throw new CommandError(
    exit.usage,
    'each node has a link of its own, so one has to be named',
    `--node with one of ${names}`,
  );
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message = errorMessage(cause);
    const hint = 'set journal.dir in the PullsConfiguration, or name a file with --journal';
    throw new CommandError(exit.usage, `${path} cannot be read: ${message}`, hint, { cause });
  }
}

function textOf(told: WhatIf): string {
  const rows = told.verdict.kind === 'recommended' ? `\n${renderTable(told.outlooks, columns)}` : '';
  return `${recordsInWords(told)}\n${told.pulls === 0 ? '' : `${rows}\n`}${verdictInWords(told)}\n`;
}

const columns: readonly TableColumn<Outlook>[] = [
  { heading: 'LIMIT', cell: ({ limit }) => (limit === 0 ? 'none' : String(limit)) },
  { heading: 'FIRST', cell: ({ firstMs }) => secondsText(firstMs) },
  { heading: 'MEAN', cell: ({ meanMs }) => secondsText(meanMs) },
  { heading: 'P95', cell: ({ p95Ms }) => secondsText(p95Ms) },
  { heading: 'BUSY', cell: ({ busyMs }) => secondsText(busyMs) },
  { heading: 'CONNECTIONS', cell: ({ peakConnections }) => String(peakConnections) },
  { heading: 'LINK FULL', cell: ({ saturatedMs }) => secondsText(saturatedMs) },
];

const maxLimits = 64;

function limitsArgument(text: string): readonly number[] {
  const limits = text.split(',').flatMap((part) => {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim()) ?? [];
    if (from === undefined || Number(to) < Number(from)) throw new InvalidArgumentError('write 1-16, or 1,2,4');
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
  });
  if (limits.length > maxLimits) throw new InvalidArgumentError(`at most ${maxLimits} of them`);
  return limits;
}
