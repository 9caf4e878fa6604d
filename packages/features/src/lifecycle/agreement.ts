import type { FeatureState } from '../api/feature.js';
import type { Target } from '../api/target.js';
import type { ComponentUses } from '../api/uses-status.js';

/**
 * Whether a component runs `target`: every process that should report has, and
 * has said so. Silence is not agreement, a waiver is none either, and a component no process
 * reports for has not agreed.
 */
export function agrees(component: ComponentUses, target: Target): boolean {
  return component.expected > 0 && matching(component, target) === component.expected;
}

/** Whether a component runs `target`, but for processes that a waiver lets be. */
export function agreesButForWaived(component: ComponentUses, target: Target): boolean {
  return component.expected > 0 && matching(component, target) + component.waived === component.expected;
}

/** The value that every required component runs, if there is one. */
export function agreedValue(components: readonly ComponentUses[]): Target | undefined {
  return valueBy(agrees, components);
}

/** The same, but for processes that a waiver covers; at least one process must run it. */
export function agreedValueButForWaived(components: readonly ComponentUses[]): Target | undefined {
  const value = valueBy(agreesButForWaived, components);
  return value && components.some((component) => matching(component, value) > 0) ? value : undefined;
}

/** Whether some required component has not been heard of in full. */
export function isIncomplete(components: readonly ComponentUses[]): boolean {
  return components.some((component) => component.required && (component.expected === 0 || component.silent > 0));
}

/** Whether a process of a required component says the opposite of a settled state, and no waiver lets it. */
export function drifts(components: readonly ComponentUses[], state: FeatureState): boolean {
  return components.some(
    (component) => component.required && (state === 'On' ? component.off > 0 : state === 'Off' && component.on > 0),
  );
}

/** Counts the processes of required components that a waiver covers. */
export function waivedProcesses(components: readonly ComponentUses[]): number {
  return components.reduce((total, { required, waived }) => total + (required ? waived : 0), 0);
}

function matching({ on, off }: ComponentUses, target: Target): number {
  return target === 'On' ? on : off;
}

function valueBy(
  agree: (component: ComponentUses, target: Target) => boolean,
  components: readonly ComponentUses[],
): Target | undefined {
  const required = components.filter((component) => component.required);
  if (required.length === 0) return undefined;
  return (['On', 'Off'] as const).find((target) => required.every((component) => agree(component, target)));
}
