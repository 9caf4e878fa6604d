import { sameJson } from '@slipway/kube';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';

/** Whether two definitions mean the same, though the API server has filled in what one of them leaves out. */
export function isSameDefinition(a: FeatureDefinitionSpec, b: FeatureDefinitionSpec): boolean {
  return sameJson(filled(a), filled(b));
}

function filled(spec: FeatureDefinitionSpec): FeatureDefinitionSpec {
  const components = spec.components.map((component) => ({ required: true, ...component }));
  return { dynamic: 'Never', disable: 'Supported', ...spec, components };
}
