import type { Reason } from '../api/conditions.js';
import type {
  ComponentUses,
  Configured,
  EffectiveStage,
  FeatureSpec,
  FeatureStatus,
  Settable,
  Target,
} from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { canaryRefusal } from './canary-refusal.js';
import { authorityOf, opposite, reaches, steers, wishOf } from './steering.js';

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
  readonly settable: Settable;
  readonly components: readonly ComponentUses[];
}

/** The configured value: locked default before spec, spec before what the authority component runs. */
export function wanted(input: WantInput): Want {
  const want = configured(input);
  const { status, spec } = input;
  const failed = status.canaryFailed?.wish === wishOf(spec) ? status.canaryFailed : undefined;
  if (!failed || want.target !== failed.to) return want;
  const target = opposite(failed.to);
  const refusal = { reason: 'CanaryFailed', message: failed.message } as const;
  return { target, configured: { value: target === 'On', source: 'Canary' }, refusal };
}

function configured(input: WantInput): Want {
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

  const refusal = definition && refusalOf(input, definition, asked);
  if (refusal) return { ...stay(input.status), refusal };
  if (asked) return { target: asked, configured: { value: asked === 'On', source: 'Spec' } };
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
  { spec, settable }: WantInput,
  definition: FeatureDefinitionSpec,
  asked: Target | undefined,
): Want['refusal'] {
  const { mode = 'Follow' } = spec;
  if ((asked || mode === 'Central') && !reaches(settable, mode)) {
    const message = `${spec.gate} cannot be set with mode: ${mode}: ${settable.why}. Use mode: ${settable.mode}`;
    return { reason: 'NotDynamic', message };
  }
  const unsplittable = steers(spec, settable) ? canaryRefusal(spec, definition) : undefined;
  if (unsplittable) return unsplittable;
  if (asked === 'Off' && definition.disable === 'Unsupported') {
    return { reason: 'DisableUnsupported', message: `${spec.gate} cannot be turned off again, says its definition` };
  }
  return undefined;
}

function followed({ spec, status, definition, components }: WantInput): Want {
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

/** What was wanted before stays wanted. */
function stay(status: FeatureStatus): Want {
  if (!status.configured) return {};
  const { conflict: _gone, ...configured } = status.configured;
  return { target: targetOf(configured.value), configured };
}
