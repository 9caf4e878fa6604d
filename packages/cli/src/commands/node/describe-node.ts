import {
  type Amounts,
  type FinishedResize,
  formatCpu,
  formatMemory,
  type NodeSizeStatus,
  type ObservedNode,
  parseAmounts,
} from '@slipway/balloons';
import { exactAmounts, lastInWords, stateOf } from '@slipway/balloons/views';
import { renderAge } from '../../output/duration.js';
import { renderTable } from '../../output/table.js';

/** One node as text: its numbers, what was asked of it, and how that went. */
export function describeNode({ node, size, policy, balloon, numbers }: ObservedNode, nowMs: number): string {
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
    numbersTable(numbers, status),
    conditionsTable(status?.conditions ?? []),
    historyTable(status?.history ?? [], nowMs),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function wantedInWords({ mode = 'Full', size, balloon, fraction, fit }: NonNullable<ObservedNode['size']>['spec']) {
  const amounts = mode === 'Size' ? size : mode === 'Balloon' ? balloon : undefined;
  const cpu = amounts?.cpu === undefined ? 'all' : formatCpu(parseAmounts(amounts).cpu);
  const memory = amounts?.memory === undefined ? 'all' : formatMemory(parseAmounts(amounts).memory);
  const what = amounts ? `${mode} ${cpu} / ${memory}` : fraction ? `${mode} ${fraction}` : mode;
  return fit === 'BestEffort' ? `${what}, as far as it fits` : what;
}

const meanings: Readonly<Record<keyof ObservedNode['numbers'], string>> = {
  hardware: 'what the machine has',
  allocatable: 'what the kubelet has for pods',
  balloon: 'what does not exist for pods',
  size: 'what pods may use',
  requested: 'what pods ask for',
  free: 'what is left of the size',
};

function numbersTable(numbers: ObservedNode['numbers'], { floor, recommended }: NodeSizeStatus = {}): string {
  const rows: { readonly name: string; readonly amounts: Amounts; readonly meaning: string }[] = [];
  for (const name of ['hardware', 'allocatable', 'balloon', 'size', 'requested', 'free'] as const) {
    rows.push({ name, amounts: numbers[name], meaning: meanings[name] });
  }
  const told = [
    ['floor', floor, 'the smallest size that can be reached now'],
    ['recommended', recommended, 'the size that the autosizer would give it'],
  ] as const;
  for (const [name, amounts, meaning] of told) {
    if (amounts) rows.push({ name, amounts: parseAmounts(amounts), meaning });
  }
  return renderTable(rows, [
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
