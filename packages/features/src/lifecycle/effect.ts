import type { TaskStatus } from '../api/feature.js';

/** What the caller of `step` has to do besides writing the status. */
export type Effect =
  /** Before writing: open a new round of reports, and put its number into `status.uses`. */
  | { readonly kind: 'raiseEpoch' }
  /** After writing: run the head task and come back with a report. */
  | { readonly kind: 'run'; readonly task: TaskStatus }
  /** Scan the references and come back with what was found. */
  | { readonly kind: 'audit' }
  /** After writing: delete the Feature. Nobody knows it any more, and nothing is lost by it. */
  | { readonly kind: 'retire' }
  /** Look again after this long, even if nothing happens. */
  | { readonly kind: 'wakeAfter'; readonly ms: number }
  | {
      readonly kind: 'event';
      readonly type: 'Normal' | 'Warning';
      readonly reason: EventReason;
      readonly message: string;
    };

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

export function normal(reason: EventReason, message: string): Effect {
  return { kind: 'event', type: 'Normal', reason, message };
}

export function warning(reason: EventReason, message: string): Effect {
  return { kind: 'event', type: 'Warning', reason, message };
}
