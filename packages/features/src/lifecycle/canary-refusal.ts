import type { FeatureSpec } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Blocker } from './situation.js';

/** Processes of these can run another value than their peers. API servers cannot: all of them serve one API. */
const splittable: readonly string[] = ['Nodes', 'Pods'];

/** Why the canary that the spec asks for is impossible, if it is. */
export function canaryRefusal({ gate, canary }: FeatureSpec, definition: FeatureDefinitionSpec): Blocker | undefined {
  if (!canary) return undefined;
  const whole = definition.components.filter(({ required = true, roster }) => required && !splittable.includes(roster));
  if (whole.length === 0) return undefined;
  const named = whole.map(({ name, roster }) => `${name} (roster ${roster})`).join(', ');
  const message = `${gate} cannot have a canary: ${named} is all or nothing; only nodes and pods can differ`;
  return { reason: 'CanaryUnsupported', message };
}
