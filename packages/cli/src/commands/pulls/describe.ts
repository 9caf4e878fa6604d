import { type PullRow, pullRows, secondsText, sizeText, stateText } from '@slipway/image-pulls/views';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { askDaemon, type DaemonOptions, whichDaemon } from './daemon-options.js';

/** `slipway pulls describe`. */
export function describe({ terminal }: Invocation): Command {
  return whichDaemon(
    newCommand('describe', 'Show one image pull: its callers, its slot and its layers', [
      'slipway pulls describe registry.example/web:1',
    ]),
  )
    .argument('<image>', 'the image as slipway pulls list shows it')
    .addOption(formatOption('table', 'json', 'yaml'))
    .action(async (image: string, { format, ...which }: DaemonOptions & { readonly format: Format }) => {
      const rows = pullRows(await askDaemon(which, (daemon) => daemon.state())).filter((row) => row.image === image);
      if (rows.length === 0) {
        throw new CommandError(exit.no, `no call is pulling ${image}`, 'see slipway pulls list');
      }
      const text = rows.map(textOf).join('\n');
      terminal.out(format === 'table' ? text : renderList(rows, { format, columns: [], document: rows }));
    });
}

/** Pulls of one image with other credentials, or for other namespaces, are other pulls: the key tells them apart. */
function textOf(row: PullRow): string {
  const { image, registry, key, callers, pods, waitedMs, runningMs, position, progress } = row;
  const lines: [string, string][] = [
    ['Image', image],
    ['Registry', registry],
    ['State', stateText(row)],
    ['Key', key],
    ['Callers', pods.length > 0 ? `${callers}, for ${pods.join(', ')}` : String(callers)],
    ['Waited', secondsText(waitedMs)],
  ];
  if (position === 0) lines.push(['Running', secondsText(runningMs)]);
  if (progress && progress.totalBytes > 0) {
    const rate = progress.bytesPerSecond > 0 ? `, ${sizeText(progress.bytesPerSecond)}/s` : '';
    lines.push(['Bytes', `${sizeText(progress.bytes)} of ${sizeText(progress.totalBytes)}${rate}`]);
  }
  const about = lines.map(([name, value]) => `${`${name}:`.padEnd(10)}${value}\n`).join('');
  return progress && progress.layers.length > 0 ? `${about}\n${layersOf(progress.layers)}` : about;
}

function layersOf(layers: NonNullable<PullRow['progress']>['layers']): string {
  return renderTable(layers, [
    { heading: 'LAYER', cell: ({ digest }) => digest.slice(0, 'sha256:'.length + 12) },
    { heading: 'BYTES', cell: ({ bytes, totalBytes }) => `${sizeText(bytes)} of ${sizeText(totalBytes)}` },
    {
      heading: 'STATE',
      cell: ({ bytes, totalBytes }) => (bytes === totalBytes ? 'there' : bytes > 0 ? 'fetching' : 'not begun'),
    },
  ]);
}
