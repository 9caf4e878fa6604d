import { type Reference, tasksTowards } from '../api/feature-definition.js';
import type { DefinedFeature } from '../catalogue/define-feature.js';
import type { GateCatalogue, ReleasedGate, ReleasedStage } from './gate-catalogue.js';

/** What is known of a gate without any cluster. Unknown facts are left out. */
export interface GateExplanation {
  readonly gate: string;
  readonly stages: readonly ReleasedStage[];
  readonly keps?: readonly (number | string)[];
  readonly components?: readonly string[];
  readonly dependsOn: readonly string[];
  readonly neededBy: readonly string[];
  readonly disable?: 'Supported' | 'Unsupported';
  /** The last minor version that has it, or was last seen to have it. */
  readonly lastIn?: string;
  /** Only of gates that come with a definition: what counts as a use, and what turning it off does, in order. */
  readonly references?: readonly Reference[];
  readonly offTasks?: readonly string[];
}

/** Puts together what the releases and the definitions that come with this package say of a gate, in any letter case. */
export function explainGate(
  gate: string,
  { catalogue, definitions }: { readonly catalogue: GateCatalogue; readonly definitions: readonly DefinedFeature[] },
): GateExplanation | undefined {
  const same = (name: string) => name.toLowerCase() === gate.toLowerCase();
  const spec = definitions.map(({ object }) => object.spec).find((one) => same(one.gate));
  const name = spec?.gate ?? [...catalogue.gates.keys()].find(same);
  if (name === undefined) return undefined;

  const released: Partial<ReleasedGate> = catalogue.gates.get(name) ?? {};
  const { keps, components = spec?.components.map((component) => component.name), disable = spec?.disable } = released;
  const lastIn = released.lastIn ?? released.lastSeenIn;
  const needing = [...catalogue.gates].filter(([, { dependsOn }]) => dependsOn?.includes(name));
  return {
    gate: name,
    stages: released.stages ?? spec?.stages ?? [],
    ...(keps && { keps }),
    ...(components && { components }),
    dependsOn: [...new Set([...(released.dependsOn ?? []), ...(spec?.dependsOn ?? [])])],
    neededBy: needing.map(([needs]) => needs),
    ...(disable && { disable }),
    ...(lastIn && { lastIn }),
    ...(spec && {
      references: spec.references ?? [],
      offTasks: tasksTowards(spec, 'Off').map((task) => task.name ?? task.kind),
    }),
  };
}
