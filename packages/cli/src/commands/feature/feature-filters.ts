import { type Feature, kubernetesNamespace, listProcesses } from '@slipway/features';
import { type FeatureTrait, featureTraits } from '@slipway/features/views';
import type { Kube } from '@slipway/kube';
import type { Command } from 'commander';

/** Which features a listing is about; those that fit everything that was asked for. */
export interface FeatureFilters {
  readonly on?: boolean;
  readonly off?: boolean;
  readonly changing?: boolean;
  readonly dangling?: boolean;
  readonly drift?: boolean;
  readonly set?: boolean;
  readonly stage?: string;
}

export function withFilters(command: Command): Command {
  return command
    .option('--on', 'only features that are on')
    .option('--off', 'only features that are off')
    .option('--changing', 'only features in a transition')
    .option('--dangling', 'only features that are off, or turning off, and still used by objects')
    .option('--drift', 'only features with processes that run another value, or with waivers')
    .option('--set', 'only features that the flags of some process set')
    .option('--stage <stage>', 'only features of this stage, such as alpha');
}

/** The features that fit. Looks at what processes report only where that is asked for. */
export async function filtered(
  kube: Kube,
  features: readonly Feature[],
  filters: FeatureFilters,
  signal: AbortSignal,
): Promise<readonly Feature[]> {
  const fitting = features.filter((feature) => fits(feature, filters));
  if (!filters.set) return fitting;
  const namespaces = new Set(fitting.map(({ metadata }) => metadata.namespace ?? kubernetesNamespace));
  const set = new Set<string>();
  for (const namespace of namespaces) {
    for (const { gates } of await listProcesses(kube, namespace, signal)) {
      for (const gate of gates?.values() ?? []) if (gate.set) set.add(`${namespace} ${gate.name}`);
    }
  }
  return fitting.filter(({ metadata, spec }) => set.has(`${metadata.namespace} ${spec.gate}`));
}

const traits: readonly FeatureTrait[] = ['on', 'off', 'changing', 'dangling', 'drift'];

function fits(feature: Feature, filters: FeatureFilters): boolean {
  const has = featureTraits(feature);
  const stage = feature.status?.effective?.stage.toLowerCase();
  return (
    traits.every((trait) => !filters[trait] || has.includes(trait)) &&
    (filters.stage === undefined || stage === filters.stage.toLowerCase())
  );
}
