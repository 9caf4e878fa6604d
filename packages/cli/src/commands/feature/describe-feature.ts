import type { CompletedTask, ComponentUses, DanglingSample, Feature, TaskStatus } from '@slipway/features';
import { renderAge } from '../../output/duration.js';
import { renderTable } from '../../output/table.js';

/** One feature as text: what it is, who runs which value, what was done and what comes next. */
export function describeFeature({ metadata, spec, status }: Feature, nowMs: number): string {
  const effective = status?.effective;
  const head: [string, string | undefined][] = [
    ['Gate', spec.gate],
    ['Namespace', metadata.namespace],
    [
      'Stage',
      effective &&
        `${effective.stage}, ${effective.default ? 'on' : 'off'} by default${effective.locked ? ', locked' : ''}`,
    ],
    ['State', `${status?.summary?.state ?? status?.state ?? 'Unknown'}${since(status?.stateSince, nowMs)}`],
    ['Desired', `${spec.desired ?? 'Unmanaged'}${spec.paused ? ' (paused)' : ''}`],
    ['Configured', status?.summary?.configured],
    ['Uses', status?.summary?.uses],
    ['Dangling', status?.summary?.dangling],
    ['Next', status?.summary?.next],
  ];
  const sections = [
    head.map(([name, value]) => (value ? `${`${name}:`.padEnd(13)}${value}\n` : '')).join(''),
    components(status?.uses?.components ?? []),
    tasks(status?.transition?.completed ?? [], status?.transition?.tasks ?? []),
    dangling(status?.dangling?.samples ?? []),
    conditions(status?.conditions ?? []),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function since(time: string | undefined, nowMs: number): string {
  return time ? ` for ${renderAge(time, nowMs)}` : '';
}

function components(all: readonly ComponentUses[]): string {
  if (all.length === 0) return '';
  const table = renderTable(all, [
    { heading: 'COMPONENT', cell: ({ name, required }) => `${name}${required ? '' : ' (optional)'}` },
    { heading: 'EXPECTED', cell: ({ expected }) => `${expected}` },
    { heading: 'ON', cell: ({ on }) => `${on}` },
    { heading: 'OFF', cell: ({ off }) => `${off}` },
    { heading: 'SILENT', cell: ({ silent }) => `${silent}` },
    { heading: 'UNREGISTERED', cell: ({ unregistered }) => `${unregistered}` },
    { heading: 'READ', cell: ({ read }) => `${read}` },
  ]);
  const late = all.flatMap((component) =>
    component.samples.map(({ process, value, cause }) => `  ${process} has it ${value}${cause ? ` (${cause})` : ''}\n`),
  );
  return `Components:\n${indented(table)}${late.join('')}`;
}

function tasks(completed: readonly CompletedTask[], open: readonly TaskStatus[]): string {
  if (completed.length + open.length === 0) return '';
  const done = completed.map(({ name, result, seconds, objects }) => {
    const touched = objects === undefined ? '' : `, ${objects} objects`;
    return `  [x] ${name}: ${result.toLowerCase()} in ${seconds} s${touched}\n`;
  });
  const left = open.map(({ name, phase, reason, message, progress }) => {
    const how = progress
      ? ` ${progress.done}${progress.total === undefined ? '' : `/${progress.total}`} ${progress.unit}`
      : '';
    const why = message ? `: ${message}` : reason ? `: ${reason}` : '';
    return `  [ ] ${name} ${phase.toLowerCase()}${how}${why}\n`;
  });
  return `Tasks:\n${done.join('')}${left.join('')}`;
}

/** Copies of old values are named apart: they are no use, but a rollback or an apply can bring them back. */
function dangling(samples: readonly DanglingSample[]): string {
  const uses = samples.filter(({ via }) => via === 'Spec');
  const copies = samples.filter(({ via }) => via !== 'Spec');
  const lines = (all: readonly DanglingSample[]) =>
    all.map(({ resource, namespace, name, path, via }) => {
      const where =
        via === 'LastApplied' ? ' (what kubectl applied last)' : via === 'Derived' ? ' (an old revision)' : '';
      return `  ${resource} ${namespace ? `${namespace}/` : ''}${name}: ${path}${where}\n`;
    });
  return [
    uses.length > 0 ? `Objects that still use it:\n${lines(uses).join('')}` : '',
    copies.length > 0 ? `Copies of old values, which do not count:\n${lines(copies).join('')}` : '',
  ].join('');
}

function conditions(all: readonly { type: string; status: string; reason: string; message: string }[]): string {
  if (all.length === 0) return '';
  const table = renderTable(all, [
    { heading: 'CONDITION', cell: ({ type }) => type },
    { heading: 'STATUS', cell: ({ status }) => status },
    { heading: 'REASON', cell: ({ reason }) => reason },
    { heading: 'MESSAGE', cell: ({ message }) => message },
  ]);
  return `Conditions:\n${indented(table)}`;
}

function indented(table: string): string {
  return table.replace(/^(?=.)/gm, '  ');
}
