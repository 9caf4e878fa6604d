import type { PullState, PullView } from '@slipway/image-pulls';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import type { TableColumn } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { askDaemon, type DaemonOptions, whichDaemon } from './daemon-options.js';

interface Row extends PullView {
  /** Where it stands in the queue, from 1; 0 when it runs. */
  readonly position: number;
}

/** `slipway pulls list`. */
export function list({ terminal }: Invocation): Command {
  return whichDaemon(
    newCommand('list', 'Show the image pulls that run and wait on this node', [
      'slipway pulls list',
      'slipway pulls list --listen /run/pulls.sock -o json',
    ]),
  )
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ format, ...which }: DaemonOptions & { readonly format: Format }) => {
      const state = await askDaemon(which, (daemon) => daemon.state());
      const rows: Row[] = [
        ...state.running.map((pull) => ({ ...pull, position: 0 })),
        ...state.waiting.map((pull, index) => ({ ...pull, position: index + 1 })),
      ];
      const forPeople = format === 'table' || format === 'wide';
      if (forPeople) terminal.err(headline(state));
      if (forPeople && rows.length === 0) return;
      terminal.out(renderList(rows, { format, columns, document: state, name: ({ image }) => image }));
    });
}

const columns: readonly TableColumn<Row>[] = [
  { heading: 'IMAGE', cell: ({ image }) => image },
  { heading: 'STATE', cell: ({ state, position }) => (position > 0 ? `waiting, position ${position}` : state) },
  { heading: 'CALLERS', cell: ({ callers }) => String(callers) },
  { heading: 'WAITED', cell: ({ waitedMs }) => seconds(waitedMs) },
  { heading: 'RUNNING', cell: ({ runningMs, position }) => (position > 0 ? '-' : seconds(runningMs)) },
  { heading: 'REGISTRY', wide: true, cell: ({ registry }) => registry },
  { heading: 'PODS', wide: true, cell: ({ podUids }) => podUids.join(',') },
];

function headline(state: PullState): string {
  const { limit, counted, waiting, paused, runtimeUp, draining } = state;
  const places = limit === 0 ? `${counted} running, no limit` : `${counted} of ${limit} places taken`;
  const notes = [paused && 'paused', draining && 'stopping', !runtimeUp && 'the container runtime is away'];
  return `${[`${places}, ${waiting.length} waiting`, ...notes.filter(Boolean)].join('; ')}\n`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`;
}
