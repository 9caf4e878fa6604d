import type { ComponentUses, FeatureState, Target } from '../api/feature.js';

/**
 * Whether a component runs `target`: every process that should report has, and
 * has said so. Silence is not agreement, and a component nobody reports for has not agreed either.
 */
export function agrees(component: ComponentUses, target: Target): boolean {
  const matching = target === 'On' ? component.on : component.off;
  return component.expected > 0 && matching === component.expected;
}

/** The value that every required component runs, if there is one. */
export function agreedValue(components: readonly ComponentUses[]): Target | undefined {
  const required = components.filter((component) => component.required);
  if (required.length === 0) return undefined;
  if (required.every((component) => agrees(component, 'On'))) return 'On';
  if (required.every((component) => agrees(component, 'Off'))) return 'Off';
  return undefined;
}

/** Whether some required component has not been heard of in full. */
export function isIncomplete(components: readonly ComponentUses[]): boolean {
  return components.some((component) => component.required && (component.expected === 0 || component.silent > 0));
}

/** Whether a process of a required component says the opposite of a settled state. */
export function drifts(components: readonly ComponentUses[], state: FeatureState): boolean {
  return components.some(
    (component) => component.required && (state === 'On' ? component.off > 0 : state === 'Off' && component.on > 0),
  );
}
