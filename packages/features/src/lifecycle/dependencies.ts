import type { FeatureState } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Target } from '../api/target.js';
import type { Blocker } from './situation.js';

/** Another declared feature of the namespace, as far as this one is concerned. */
export interface Neighbour {
  readonly gate: string;
  readonly state: FeatureState;
  readonly dependsOn: readonly string[];
}

/**
 * Finds the related feature that keeps a feature from becoming `to`: turning on needs its dependencies On and the
 * features that exclude it Off; turning off needs that no feature depends on it.
 */
export function dependencyBlocker(
  definition: FeatureDefinitionSpec,
  to: Target,
  neighbours: readonly Neighbour[],
): Blocker | undefined {
  const stateOf = (gate: string) => neighbours.find((neighbour) => neighbour.gate === gate)?.state ?? 'Unknown';
  const said = (gates: readonly string[]) => gates.map((gate) => `${gate} is ${stateOf(gate)}`).join(', ');
  if (to === 'Off') {
    const dependents = neighbours.filter(
      ({ state, dependsOn }) => dependsOn.includes(definition.gate) && state !== 'Off' && state !== 'Unknown',
    );
    if (dependents.length === 0) return undefined;
    const message = `${said(dependents.map(({ gate }) => gate))}, and depends on ${definition.gate}`;
    return { reason: 'DependentOn', message };
  }
  const missing = (definition.dependsOn ?? []).filter((gate) => stateOf(gate) !== 'On');
  if (missing.length > 0) {
    return { reason: 'DependencyOff', message: `${definition.gate} needs ${missing.join(', ')}: ${said(missing)}` };
  }
  const known = (definition.conflictsWith ?? []).filter((gate) => !['Off', 'Unknown'].includes(stateOf(gate)));
  if (known.length > 0) return { reason: 'ConflictOn', message: `${definition.gate} excludes ${said(known)}` };
  return undefined;
}

/** The other gates that the message of such a blocker names, and what they are. */
export function gatesNamed(message: string): readonly { readonly gate: string; readonly state: string }[] {
  const named = message.matchAll(/([A-Za-z0-9][A-Za-z0-9_.-]*) is (Unknown|Off|TurningOn|On|TurningOff)\b/g);
  return [...named].map(([, gate = '', state = '']) => ({ gate, state }));
}
