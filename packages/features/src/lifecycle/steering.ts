import type { Canary } from '../api/canary.js';
import type { FeatureSpec, FeatureStatus, Mode, Published, Settable } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { Target } from '../api/target.js';
import { digest } from './digest.js';
import type { Situation } from './situation.js';

/** Everybody who must agree before processes take a value from the API. */
export interface Consents {
  readonly gate: string;
  readonly definition: FeatureDefinitionSpec | undefined;
  /** A process that comes with a flag of its own for the gate cannot start when the gate is off, so only its flag may decide. */
  readonly config: { readonly component: string; readonly flag: string } | undefined;
  /** Whether the operator of the feature server lets values change while processes run. */
  readonly isAllowed: boolean;
}

/** Modes, from what asks for no consent to what asks for all of it. */
const modes: readonly Mode[] = ['Follow', 'Central', 'Dynamic'];

/** The most that may be asked of `spec.mode`. Each process has a say of its own besides: its operator's list. */
export function settable({ gate, definition, config, isAllowed }: Consents): Settable {
  const dynamic = definition?.dynamic ?? 'Never';
  if (dynamic === 'Never') return { mode: 'Follow', why: 'its definition says dynamic: Never' };
  if (config) {
    const why = `${config.component} takes ${config.flag} with it, so only its own command line can set it`;
    return { mode: 'Follow', why };
  }
  if (dynamic === 'AtStart') return { mode: 'Central', why: 'its definition says dynamic: AtStart' };
  if (!isAllowed) return { mode: 'Central', why: `the feature server was not started with --allow-dynamic=${gate}` };
  return { mode: 'Dynamic' };
}

export function reaches(settable: Settable | undefined, mode: Mode): boolean {
  return modes.indexOf(mode) <= modes.indexOf(settable?.mode ?? 'Follow');
}

/** Whether processes take their value from `status.published`. */
export function steers({ mode = 'Follow', desired = 'Unmanaged' }: FeatureSpec, may: Settable | undefined): boolean {
  if (mode === 'Follow' || !reaches(may, mode)) return false;
  return mode === 'Central' || desired !== 'Unmanaged';
}

/** The component whose own setting counts while nothing else decides. */
export function authorityOf(spec: FeatureSpec, definition: FeatureDefinitionSpec | undefined): string | undefined {
  return spec.authority?.component ?? definition?.components[0]?.name;
}

/** The component that keeps to its own flags beside a published value. */
export function publishingAuthority(
  spec: FeatureSpec,
  definition: FeatureDefinitionSpec | undefined,
): string | undefined {
  return spec.mode === 'Central' ? authorityOf(spec, definition) : undefined;
}

/** Returns what processes are told. The authority of a centrally set feature is told that it is meant. */
export function publishing(
  value: boolean,
  epoch: number,
  { spec, definition }: Pick<Situation, 'spec' | 'definition'>,
): Published {
  const authority = publishingAuthority(spec, definition?.spec);
  return { value, epoch, ...(authority !== undefined && { authority }) };
}

/** Replaces the authority of a published value: the mode may change while a transition runs. */
export function withCurrentAuthority(
  published: Published,
  situation: Pick<Situation, 'spec' | 'definition'>,
): Published {
  const { value, epoch, rules } = published;
  return { ...publishing(value, epoch, situation), ...(rules && { rules }) };
}

/** The canary of a new plan: none on the way back from one that failed. */
export function canaryOf(spec: FeatureSpec, { canaryFailed }: FeatureStatus): Canary | undefined {
  return canaryFailed?.wish === specKey(spec) ? undefined : spec.canary;
}

/** Digest of the parts of the spec that a failed canary belongs to: it is not repeated before they change. */
export function specKey({ desired, mode, canary }: FeatureSpec): string {
  return digest({ desired: desired ?? 'Unmanaged', mode: mode ?? 'Follow', canary: canary ?? null });
}

export function opposite(target: Target): Target {
  return target === 'On' ? 'Off' : 'On';
}
