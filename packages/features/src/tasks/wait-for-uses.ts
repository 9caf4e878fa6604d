import { durationMs } from '../api/duration.js';
import type { ComponentUses, ProcessSample, Target } from '../api/feature.js';
import { agrees } from '../lifecycle/agreement.js';
import type { Task } from './task.js';

const stragglersAfterMs = 30 * 60_000;

/**
 * Holds a transition until every process that should report has reported the target value.
 *
 * Silence is not agreement: a process on the roster without evidence in this round
 * blocks, and the message names it. The round was opened with the transition.
 */
export const waitForUses: Task = {
  kind: 'WaitForUses',
  readOnly: true,
  async run({ feature, transition, task, uses, clock }) {
    const counted = uses();
    const open = counted.components.filter((component) => component.required && !agrees(component, transition.to));
    if (open.length === 0) return { kind: 'done' };

    const message = open.map((component) => whoIsMissing(component, transition.to, feature.spec.gate)).join('; ');
    const matching = transition.to === 'On' ? counted.on : counted.off;
    const progress = { done: matching, total: counted.expected, unit: 'processes' };
    const waitedMs = clock.now() - Date.parse(task.firstAttempt ?? transition.startedAt);
    if (waitedMs >= durationMs(feature.spec.uses?.stragglersAfter, stragglersAfterMs)) {
      return { kind: 'blocked', reason: 'Stragglers', message, progress, eager: true, retryAfterMs: 5_000 };
    }
    const reason = open.some(hasOldValue(transition.to)) ? 'OldValueInUse' : 'Silent';
    return { kind: 'waiting', reason, message, progress, eager: true, retryAfterMs: 2_000 };
  },
};

function hasOldValue(to: Target): (component: ComponentUses) => boolean {
  return ({ on, off, unregistered }) => unregistered + (to === 'On' ? off : on) > 0;
}

/** `kube-controller-manager: 1 of 2 not off: a (on, set by its --feature-gates: remove X there)`. */
function whoIsMissing(component: ComponentUses, to: Target, gate: string): string {
  const { name, expected, on, off, samples } = component;
  if (expected === 0) return `${name}: no process has reported`;
  const missing = expected - (to === 'On' ? on : off);
  const named = samples.map((sample) => `${sample.process} (${stateOf(sample, to, gate)})`).join(', ');
  return `${name}: ${missing} of ${expected} not ${to.toLowerCase()}${named && `: ${named}`}`;
}

function stateOf({ value, cause }: ProcessSample, to: Target, gate: string): string {
  switch (cause) {
    case 'ExplicitFlag':
      return `${value}, set by its own configuration: remove ${gate} from its --feature-gates or set it to ${to === 'On'}`;
    case 'NodeDown':
      return 'silent: its node is away; bring it back or delete the Node';
    case 'NoReport':
      return 'silent: it has not reported';
    case 'ReportExpired':
      return 'silent: its report has expired; delete the FeatureUse if the process is gone';
    case 'NotYetConfirmed':
      return 'not yet confirmed';
    case 'TooOld':
      return 'does not know the gate';
    default:
      return value;
  }
}
