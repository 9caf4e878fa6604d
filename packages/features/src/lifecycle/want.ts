import type { Reason } from '../api/conditions.js';
import type { ComponentUses, Configured, EffectiveStage, FeatureSpec, FeatureStatus, Target } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';

/** What a feature should be, and why it is not what the spec asks for. */
export interface Want {
  /** Undefined while nothing tells: no evidence yet, or no default known. */
  readonly target?: Target;
  readonly configured?: Configured;
  readonly refusal?: { readonly reason: Reason; readonly message: string };
}

export interface WantInput {
  readonly spec: FeatureSpec;
  readonly status: FeatureStatus;
  readonly definition?: FeatureDefinitionSpec | undefined;
  readonly effective?: EffectiveStage | undefined;
  readonly components: readonly ComponentUses[];
}

/** The configured value: locked default before spec, spec before what the authority component runs. */
export function wanted(input: WantInput): Want {
  const { spec, definition, effective } = input;
  const desired = spec.desired ?? 'Unmanaged';
  const asked = desired === 'On' || desired === 'Off' ? desired : undefined;

  if (effective?.locked) {
    const target = targetOf(effective.default);
    const configured: Configured = { value: effective.default, source: 'Locked' };
    if (asked === undefined || asked === target) return { target, configured };
    const message = `${spec.gate} is locked to ${effective.default} at ${effective.version ?? 'this version'}`;
    return { target, configured, refusal: { reason: 'Locked', message } };
  }

  const refusal = asked && definition && refusalOf(spec, definition, asked);
  if (refusal) return { ...stay(input.status), refusal };
  if (asked) return { target: asked, configured: { value: asked === 'On', source: 'Spec' } };
  if (desired === 'Default') {
    if (!effective) return stay(input.status);
    return { target: targetOf(effective.default), configured: { value: effective.default, source: 'Default' } };
  }
  return followed(input);
}

/** Whether processes take their value from `status.published`. */
export function steers(spec: FeatureSpec, definition: FeatureDefinitionSpec | undefined): boolean {
  return spec.mode === 'Central' && definition?.dynamic === 'Live' && (spec.desired ?? 'Unmanaged') !== 'Unmanaged';
}

export function targetOf(value: boolean): Target {
  return value ? 'On' : 'Off';
}

function refusalOf(spec: FeatureSpec, definition: FeatureDefinitionSpec, asked: Target): Want['refusal'] {
  if (spec.mode === 'Central' && definition.dynamic !== 'Live') {
    return {
      reason: 'NotDynamic',
      message: `${spec.gate} cannot be set centrally: its definition does not say dynamic: Live. Use mode: Follow and set the flag of each component`,
    };
  }
  if (asked === 'Off' && definition.disable === 'Unsupported') {
    return { reason: 'DisableUnsupported', message: `${spec.gate} cannot be turned off again, says its definition` };
  }
  return undefined;
}

function followed({ spec, status, definition, components }: WantInput): Want {
  const name = spec.authority?.component ?? definition?.components[0]?.name;
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

/** What was wanted before stays wanted. */
function stay(status: FeatureStatus): Want {
  if (!status.configured) return {};
  const { conflict: _gone, ...configured } = status.configured;
  return { target: targetOf(configured.value), configured };
}
