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
import { type Command, InvalidArgumentError } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { renderTable, type TableColumn } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import type { Terminal } from '../../runtime/terminal.js';
import { secondsText, sizeText } from './pull-rows.js';

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
    const message = cause instanceof Error ? cause.message : String(cause);
    const hint = 'set journal.dir in the PullsConfiguration, or name a file with --journal';
    throw new CommandError(exit.usage, `${path} cannot be read: ${message}`, hint, { cause });
  }
}

function textOf(told: WhatIf): string {
  const { pulls, limit, link, replayError, outlooks, was, verdict } = told;
  if (pulls === 0) return `No pulls on record.\n${sentenceOf(told)}\n`;
  const rate = (perMs: number) => `${sizeText(perMs * 1_000)}/s`;
  const shared = Number.isFinite(link.rate) ? `a link of ${rate(link.rate)}` : 'a link that never was full';
  const each = Number.isFinite(link.connectionRate) ? `, ${rate(link.connectionRate)} for each connection` : '';
  const replay = `the replay is off by ${(replayError * 100).toFixed(1)} %`;
  const held = limit === 0 ? 'without a limit' : `at limit ${limit}`;
  const about = `${pulls} pulls ${held}, ${secondsText(was.meanMs)} on average: ${shared}${each}; ${replay}`;
  const rows = verdict.kind === 'recommended' ? `\n${renderTable(outlooks, columns)}` : '';
  return `${about}\n${rows}\n${sentenceOf(told)}\n`;
}

function sentenceOf({ verdict, limit, binds }: WhatIf): string {
  if (verdict.kind === 'refused') return `Nothing is recommended: ${verdict.reason}.`;
  const why = binds === 'connection' ? 'each connection is slow, not the link' : 'none of the limits is better';
  if (verdict.limit === 0) return `No limit is best here: ${why}.`;
  const percent = `${Math.round(verdict.betterBy * 100)} %`;
  const now = verdict.limit === limit ? ', as it is now' : '';
  return `Recommended: ${verdict.limit}${now}. An image is there ${percent} sooner on average than without a limit.`;
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
