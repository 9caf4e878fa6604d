import type { WorkPhase } from './resize-work.js';

/** The timed phases of a resize, by their names in metrics. */
export type TimedPhase = 'check' | 'fence' | 'patch' | 'observe' | 'rollback' | 'actuator';

const names = {
  growing: 'actuator',
  settling: 'fence',
  observing: 'observe',
  'rolling-back': 'rollback',
  shrinking: 'actuator',
} as const;

/** The waiting that ended when a resize came from one phase to the next, or to its end; undefined where none did. */
export function phaseEnded(
  before: WorkPhase,
  after: WorkPhase | undefined,
): { readonly phase: TimedPhase; readonly sinceMs: number } | undefined {
  if (before.kind === 'checking' || before.kind === 'inherited') return undefined;
  const goesOn = after?.kind === before.kind && after.sinceMs === before.sinceMs;
  return goesOn ? undefined : { phase: names[before.kind], sinceMs: before.sinceMs };
}
