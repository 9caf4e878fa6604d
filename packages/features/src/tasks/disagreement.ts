import type { ComponentUses, ProcessSample, Target } from '../api/feature.js';
import { agrees } from '../lifecycle/agreement.js';
import type { UseCounts } from '../uses/count-uses.js';

/** Who of the required components does not run a value, and why. */
export interface Disagreement {
  readonly reason: 'OldValueInUse' | 'Silent';
  /** Names processes, with the remedy where one is known. */
  readonly message: string;
}

/** Undefined when every process that should report has reported `to`. Silence is not agreement. */
export function disagreement(uses: UseCounts, to: Target, gate: string): Disagreement | undefined {
  const open = uses.components.filter((component) => component.required && !agrees(component, to));
  if (open.length === 0) return undefined;
  return {
    reason: open.some(hasOldValue(to)) ? 'OldValueInUse' : 'Silent',
    message: open.map((component) => whoIsMissing(component, to, gate)).join('; '),
  };
}

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
