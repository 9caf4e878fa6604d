import type { Reason } from '../api/conditions.js';
import type { Configured, EffectiveStage, FeatureSpec, FeatureStatus, Settable } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Target } from '../api/target.js';
import type { ComponentUses } from '../api/uses-status.js';
import { canaryRefusal } from './canary-refusal.js';
import { authorityOf, opposite, reaches, specKey, steers } from './steering.js';

/** The state a feature should have, and why it differs from what the spec requests. */
export interface DesiredState {
  /** Undefined while it is not known: no evidence yet, or no known default. */
  readonly target?: Target;
  readonly configured?: Configured;
  readonly refusal?: { readonly reason: Reason; readonly message: string };
}

export interface DesiredStateInput {
  readonly spec: FeatureSpec;
  readonly status: FeatureStatus;
  readonly definition?: FeatureDefinitionSpec | undefined;
  readonly effective?: EffectiveStage | undefined;
  readonly settable: Settable;
  readonly components: readonly ComponentUses[];
}

/** Derives the desired state: a locked default wins over the spec, the spec over what the authority component runs. */
export function desiredState(input: DesiredStateInput): DesiredState {
  const desired = configuredState(input);
  const { status, spec } = input;
  const failed = status.canaryFailed?.wish === specKey(spec) ? status.canaryFailed : undefined;
  if (!failed || desired.target !== failed.to) return desired;
  const target = opposite(failed.to);
  const refusal = { reason: 'CanaryFailed', message: failed.message } as const;
  return { target, configured: { value: target === 'On', source: 'Canary' }, refusal };
}

function configuredState(input: DesiredStateInput): DesiredState {
  const { spec, definition, effective } = input;
  const desired = spec.desired ?? 'Unmanaged';
  const requested = desired === 'On' || desired === 'Off' ? desired : undefined;

  if (effective?.locked) {
    const target = targetOf(effective.default);
    const configured: Configured = { value: effective.default, source: 'Locked' };
    if (requested === undefined || requested === target) return { target, configured };
    const message = `${spec.gate} is locked to ${effective.default} at ${effective.version ?? 'this version'}`;
    return { target, configured, refusal: { reason: 'Locked', message } };
  }

  const refusal = definition && refusalOf(input, definition, requested);
  if (refusal) return { ...stay(input.status), refusal };
  if (requested) return { target: requested, configured: { value: requested === 'On', source: 'Spec' } };
  if (desired === 'Default') {
    if (!effective) return stay(input.status);
    return { target: targetOf(effective.default), configured: { value: effective.default, source: 'Default' } };
  }
  return followed(input);
}

export function targetOf(value: boolean): Target {
  return value ? 'On' : 'Off';
}

function refusalOf(
  { spec, settable }: DesiredStateInput,
  definition: FeatureDefinitionSpec,
  requested: Target | undefined,
): DesiredState['refusal'] {
  const { mode = 'Follow' } = spec;
  if ((requested || mode === 'Central') && !reaches(settable, mode)) {
    const message = `${spec.gate} cannot be set with mode: ${mode}: ${settable.why}. Use mode: ${settable.mode}`;
    return { reason: 'NotDynamic', message };
  }
  const unsplittable = steers(spec, settable) ? canaryRefusal(spec, definition) : undefined;
  if (unsplittable) return unsplittable;
  if (requested === 'Off' && definition.disable === 'Unsupported') {
    return { reason: 'DisableUnsupported', message: `${spec.gate} cannot be turned off again, says its definition` };
  }
  return undefined;
}

function followed({ spec, status, definition, components }: DesiredStateInput): DesiredState {
  const name = authorityOf(spec, definition);
  const authority = name === undefined ? components[0] : components.find((component) => component.name === name);
  if (!authority || authority.on + authority.off === 0) return stay(status);
  if (authority.on > 0 && authority.off > 0) {
    const conflict = `${authority.name}: ${authority.on} on, ${authority.off} off`;
    const before = stay(status);
    return before.configured ? { ...before, configured: { ...before.configured, conflict } } : before;
  }
  const value = authority.on > 0;
  return { target: targetOf(value), configured: { value, source: 'Authority' } };
}

/** Keeps the state that was desired before. */
function stay(status: FeatureStatus): DesiredState {
  if (!status.configured) return {};
  const { conflict: _gone, ...configured } = status.configured;
  return { target: targetOf(configured.value), configured };
}
