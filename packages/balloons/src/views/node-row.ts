import { findCondition, isConditionTrue } from '@slipway/kube';
import type { FinishedResize } from '../api/node-size.js';
import type { NodeNumbers } from '../nodes/node-numbers.js';
import type { ObservedNode } from '../nodes/observed-node.js';
import { type Amounts, minus, nothing, plus } from '../planner/amounts.js';

/** A line of `slipway node list`: one node, or the sum of all. */
export interface NodeRow {
  readonly name: string;
  readonly numbers: NodeNumbers;
  readonly mode: string;
  readonly state: string;
  readonly last: string;
  readonly policy: string;
}

export function rowOf({ node, size, policy, numbers }: ObservedNode): NodeRow {
  return {
    name: node.name,
    numbers,
    mode: size?.spec.mode ?? '',
    state: stateOf(size),
    last: lastInWords(size?.status?.lastResize),
    policy: policy?.metadata.name ?? '',
  };
}

/** The sum of all rows. */
export function totalOf(rows: readonly NodeRow[]): NodeRow {
  const sum = (part: keyof NodeNumbers): Amounts =>
    rows.reduce((total, row) => plus(total, row.numbers[part]), nothing);
  const numbers: NodeNumbers = {
    hardware: sum('hardware'),
    allocatable: sum('allocatable'),
    balloon: sum('balloon'),
    size: sum('size'),
    requested: sum('requested'),
    free: sum('free'),
  };
  return { name: 'TOTAL', numbers, mode: '-', state: '-', last: '-', policy: '-' };
}

/** In one word: `AtSize`, `Resizing`, `Waiting`; with what is wrong where something is. */
export function stateOf(size: ObservedNode['size']): string {
  if (!size) return 'Unmanaged';
  const { conditions, resize } = size.status ?? {};
  const state = resize ? 'Resizing' : (findCondition(conditions, 'Ready')?.reason ?? 'Waiting');
  const wrong = isConditionTrue(conditions, 'Degraded') ? findCondition(conditions, 'Degraded')?.reason : undefined;
  return wrong ? `${state} (${wrong})` : state;
}

const resultWords: Readonly<Record<string, string>> = {
  Succeeded: 'ok',
  Partial: 'as far as it fits',
  NoChange: 'nothing to do',
  DoesNotFit: 'does not fit',
  RolledBack: 'rolled back',
  TimedOut: 'timed out',
};

/** `down ok 1.2s` */
export function lastInWords(last: FinishedResize | undefined): string {
  if (!last) return '';
  const { result, direction, durationMs } = last;
  const word = resultWords[result] ?? result;
  if (result === 'NoChange' || result === 'DoesNotFit' || result === 'Rejected') return word;
  return `${direction.toLowerCase()} ${word} ${inSeconds(durationMs)}`;
}

/** `24ms`, `1.2s` */
export function inSeconds(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)}ms` : `${(durationMs / 1000).toFixed(1)}s`;
}

/** Nodes of which least is free first. */
export function byFree(a: NodeRow, b: NodeRow): number {
  const { cpu, memory } = minus(a.numbers.free, b.numbers.free);
  return Number(cpu) || Number(memory);
}
