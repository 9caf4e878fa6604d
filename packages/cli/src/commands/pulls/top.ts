import type { DaemonState } from '@slipway/image-pulls';
import { headline, type PullRow, pullRows, secondsText, sizeText, stateText } from '@slipway/image-pulls/views';
import { printableLine } from '@slipway/safe-yaml/printable';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonContent } from '../../output/content.js';
import { foldLines } from '../../output/display-width.js';
import { parseDuration } from '../../output/duration.js';
import { type Format, formatOption } from '../../output/format.js';
import { renderTable, type TableColumn } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import type { Terminal } from '../../runtime/terminal.js';
import { askDaemon, type DaemonOptions, whichDaemon } from './daemon-options.js';

interface Options extends DaemonOptions {
  readonly every: number;
  readonly format: Format;
}

/** `slipway pulls top`. */
export function top({ terminal, signal }: Invocation): Command {
  return whichDaemon(
    newCommand('top', 'Show the progress of the image pulls of this node, until Ctrl-C', [
      'slipway pulls top',
      'slipway pulls top -o json | jq .running[].progress.bytesPerSecond',
    ]),
  )
    .addOption(new Option('--every <time>', 'how often to refresh').argParser(everyArgument).default(500, '500ms'))
    .addOption(formatOption('table', 'json'))
    .action(async ({ every, format, ...which }: Options) => {
      const show =
        format === 'json' ? asJson(terminal) : terminal.interactive ? redrawn(terminal) : asChanges(terminal);
      while (!signal.aborted) {
        show(await askDaemon(which, (daemon) => daemon.state()));
        await pause(every, signal);
      }
    });
}

type Show = (state: DaemonState) => void;

/** One object a line. */
function asJson(terminal: Terminal): Show {
  return (state) => terminal.out(jsonContent(state, 0));
}

/** The whole screen, from its upper left corner each time, so that nothing flickers. */
function redrawn(terminal: Terminal): Show {
  return (state) => {
    const lines = screenOf(state, terminal.columns).map((line) => `${line}\u001b[K\n`);
    terminal.draw('stdout', `\u001b[H${lines.join('')}\u001b[J`);
  };
}

/** A line for each pull whose state is another one, for whoever reads a log. */
function asChanges(terminal: Terminal): Show {
  const told = new Map<number, string>();
  return (state) => {
    const rows = pullRows(state);
    for (const row of rows) {
      const what = row.position > 0 ? `waiting, position ${row.position}` : row.state;
      if (told.get(row.id) === what) continue;
      told.set(row.id, what);
      terminal.out(`${row.image}: ${what}\n`);
    }
    for (const id of told.keys()) if (!rows.some((row) => row.id === id)) told.delete(id);
  };
}

/** Returns the running pulls, then as many of the waiting ones as fit on the screen. */
export function screenOf(state: DaemonState, columns: number): readonly string[] {
  const rows = pullRows(state);
  const rate = rows.reduce((sum, { progress }) => sum + (progress?.bytesPerSecond ?? 0), 0);
  const oldestMs = Math.max(0, ...state.waiting.map(({ waitedMs }) => waitedMs));
  const parts = [headline(state)];
  if (oldestMs > 0) parts.push(`oldest ${secondsText(oldestMs)}`);
  if (state.fidelity === 'exact' && rate > 0) parts.push(`${sizeText(rate)}/s`);
  if (state.fidelity === 'none') parts.push('the runtime shows no bytes');
  const shown = rows.slice(0, state.running.length + maxWaiting);
  const more = rows.length - shown.length;
  const table =
    shown.length === 0
      ? []
      : renderTable(shown, topColumns, { screen: { columns, colours: false } })
          .trimEnd()
          .split('\n');
  const head = foldLines(printableLine(parts.join('; ')), columns);
  return [...head, ...table, ...(more > 0 ? [`... and ${more} more waiting`] : [])];
}

const maxWaiting = 20;

const topColumns: readonly TableColumn<PullRow>[] = [
  { heading: 'IMAGE', cell: ({ image }) => image || '(unreadable)' },
  { heading: 'PODS', weight: 0, cell: ({ callers }) => String(callers) },
  { heading: 'AGE', cell: ({ waitedMs, runningMs, position }) => secondsText(position > 0 ? waitedMs : runningMs) },
  { heading: 'PROGRESS', weight: 2, cell: ({ progress, position }) => (position > 0 ? '-' : meter(progress)) },
  {
    heading: 'RATE',
    weight: 0,
    cell: ({ progress }) => (progress?.bytesPerSecond ? `${sizeText(progress.bytesPerSecond)}/s` : '-'),
  },
  { heading: 'STATE', weight: 9, cell: stateText },
];

const meterWidth = 10;

function meter(progress: PullRow['progress']): string {
  if (!progress || progress.totalBytes === 0) return '-';
  const share = progress.bytes / progress.totalBytes;
  const full = Math.round(share * meterWidth);
  return `[${'#'.repeat(full)}${'.'.repeat(meterWidth - full)}] ${Math.round(share * 100)}% of ${sizeText(progress.totalBytes)}`;
}

function everyArgument(text: string): number {
  const ms = parseDuration(text);
  if (ms < 100) throw new InvalidArgumentError('at least 100ms');
  return ms;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
