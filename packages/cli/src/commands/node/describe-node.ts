import { type FinishedResize, type ObservedNode, parseAmounts } from '@slipway/balloons';
import { amountLines, exactAmounts, lastInWords, stateOf, wantedInWords } from '@slipway/balloons/views';
import { renderAge } from '../../output/duration.js';
import { renderTable } from '../../output/table.js';

/** One node as text: its numbers, what was asked of it, and how that went. */
export function describeNode(observed: ObservedNode, nowMs: number): string {
  const { node, size, policy, balloon } = observed;
  const { status, spec } = size ?? {};
  const head: readonly (readonly [string, string | undefined])[] = [
    ['Node', node.name],
    ['State', stateOf(size)],
    ['Wanted', spec && wantedInWords(spec)],
    ['Policy', policy?.metadata.name ?? 'none'],
    ['Balloon pod', balloon && `${balloon.namespace}/${balloon.name}`],
    ['Actuator', status?.actuator && `${status.actuator.name}: ${status.actuator.phase}`],
  ];
  const parts = [
    head.map(([name, value]) => (value ? `${`${name}:`.padEnd(13)}${value}\n` : '')).join(''),
    numbersTable(observed),
    conditionsTable(status?.conditions ?? []),
    historyTable(status?.history ?? [], nowMs),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function numbersTable(observed: ObservedNode): string {
  return renderTable(amountLines(observed), [
    { heading: 'AMOUNT', cell: ({ name }) => name },
    { heading: 'CPU / MEMORY', cell: ({ amounts }) => exactAmounts(amounts) },
    { heading: 'MEANING', weight: 9, cell: ({ meaning }) => meaning },
  ]);
}

function conditionsTable(all: readonly { type: string; status: string; reason: string; message: string }[]): string {
  if (all.length === 0) return '';
  return renderTable(all, [
    { heading: 'CONDITION', cell: ({ type }) => type },
    { heading: 'STATUS', cell: ({ status }) => status },
    { heading: 'REASON', cell: ({ reason }) => reason },
    { heading: 'MESSAGE', weight: 9, cell: ({ message }) => message },
  ]);
}

function historyTable(all: readonly FinishedResize[], nowMs: number): string {
  if (all.length === 0) return '';
  return renderTable(all, [
    { heading: 'AGO', cell: ({ finishedAt }) => renderAge(finishedAt, nowMs) },
    { heading: 'RESIZE', cell: (each) => lastInWords(each) },
    { heading: 'BALLOON FROM', cell: ({ from }) => exactAmounts(parseAmounts(from)) },
    { heading: 'TO', cell: ({ to }) => exactAmounts(parseAmounts(to)) },
    { heading: 'MESSAGE', weight: 9, cell: ({ message }) => message },
  ]);
}
