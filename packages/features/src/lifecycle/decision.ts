import type { FeatureStatus, TaskStatus } from '../api/feature.js';
import type { Blocker } from './situation.js';

/** What the caller of `step` does after the status is written. */
export type NextAction =
  /** Run the head task, and step again with its report. */
  | { readonly kind: 'run'; readonly task: TaskStatus }
  /** Scan the references of a feature that is off, and step again with the result. */
  | { readonly kind: 'scanReferences' }
  /** Delete the Feature: no definition and no process knows its gate, and nothing is lost by it. */
  | { readonly kind: 'retire' };

/** What one rule decides. `andThen` chains rules, and `step` makes a `Step` of the last decision. */
export interface Decision {
  readonly status: FeatureStatus;
  /** Why nothing more is done, if a person should know. */
  readonly blocker?: Blocker | undefined;
  /** Why a Feature whose gate is unknown is not deleted. */
  readonly keptBecause?: string | undefined;
  readonly openRound?: boolean | undefined;
  readonly events?: readonly StepEvent[] | undefined;
  readonly next?: NextAction | undefined;
  readonly wakeAfterMs?: number | undefined;
}

/** Applies the next rule to the status of `first`. The last rule decides what is done; events and wake-ups add up. */
export function andThen(first: Decision, rule: (status: FeatureStatus) => Decision): Decision {
  const second = rule(first.status);
  return {
    ...second,
    openRound: first.openRound || second.openRound,
    events: [...(first.events ?? []), ...(second.events ?? [])],
    wakeAfterMs: earliest([first.wakeAfterMs, second.wakeAfterMs]),
  };
}

/** The shortest of the delays that are set, in milliseconds. */
export function earliest(delaysMs: readonly (number | undefined)[]): number | undefined {
  const set = delaysMs.filter((ms) => ms !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

/** Reasons of the events about a Feature. */
export const eventReasons = [
  'TransitionStarted',
  'TransitionFlipped',
  'TransitionCompleted',
  'MaintenanceStarted',
  'MaintenanceCompleted',
  'TaskCompleted',
  'TaskBlocked',
  'DriftDetected',
  'DriftCleared',
  'DanglingFound',
  'GuardInstalled',
  'GuardRemoved',
  'WaiverUsed',
  'FeatureUnknown',
  'FeatureRetired',
] as const;
export type EventReason = (typeof eventReasons)[number];

/** An event to record about the Feature. */
export interface StepEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  readonly message: string;
}

export function normal(reason: EventReason, message: string): StepEvent {
  return { type: 'Normal', reason, message };
}

export function warning(reason: EventReason, message: string): StepEvent {
  return { type: 'Warning', reason, message };
}
