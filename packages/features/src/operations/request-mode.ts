import type { Kube } from '@slipway/kube';
import type { Feature, Mode } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { GateValue } from '../api/feature-vector.js';
import type { Target } from '../api/target.js';
import { targetOf } from '../lifecycle/desired-state.js';
import { publishingAuthority, reaches, settable } from '../lifecycle/steering.js';
import { mergeSpec } from '../rbac/own-author.js';
import { ChangeRefusedError } from './change-refused.js';
import { listProcesses } from './list-processes.js';

/** What a change of mode would do, before anything is done. */
export interface ModePreview {
  readonly feature: Feature;
  readonly mode: Exclude<Mode, 'Dynamic'>;
  /** Processes that have the feature's value only because it is published, and would lose it. */
  readonly leaving: readonly LeavingProcess[];
}

export interface LeavingProcess {
  readonly component: string;
  readonly process: string;
  /** What its own flags or its default give. */
  readonly own: Target;
}

/**
 * Reads what handing a feature back to flags would do. Writes nothing.
 * @throws ChangeRefusedError (NotDynamic) when a process that must agree to that mode does not.
 */
export async function previewMode(
  kube: Kube,
  feature: Feature,
  mode: ModePreview['mode'],
  signal?: AbortSignal,
): Promise<ModePreview> {
  const { metadata, spec, status } = feature;
  const { name = '', namespace = '' } = metadata;
  const definition = (await kube.resource(FeatureDefinition).find({ name, namespace }, signal))?.spec;
  const may = status?.settable ?? settable({ gate: spec.gate, definition, config: undefined, isAllowed: true });
  if (!reaches(may, mode)) {
    throw new ChangeRefusedError('NotDynamic', `${spec.gate} cannot have mode ${mode}: ${may.why}`);
  }
  return { feature, mode, leaving: await leavingProcesses(kube, feature, mode, definition, signal) };
}

/** Hands a feature back to flags: to those of each component, or to that of the authority alone, which the others take. */
export async function requestMode(kube: Kube, { feature, mode }: ModePreview, signal?: AbortSignal): Promise<Feature> {
  const { name = '', namespace, uid } = feature.metadata;
  const body = { metadata: { uid }, spec: { mode, desired: 'Unmanaged' } };
  return mergeSpec(kube, { name, namespace }, body, signal);
}

/** With mode Central only the authority falls back to its own flags; the others take what it runs. */
async function leavingProcesses(
  kube: Kube,
  { metadata, spec, status }: Feature,
  mode: Mode,
  definition: FeatureDefinitionSpec | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly LeavingProcess[]> {
  const goal = status?.transition?.to ?? status?.state;
  if (!status?.published || (goal !== 'On' && goal !== 'Off')) return [];
  const authority = publishingAuthority({ ...spec, mode }, definition);
  const concerned = definition?.components.map(({ name }) => name);
  const processes = await listProcesses(kube, metadata.namespace ?? '', signal);
  return processes.flatMap(({ component, name: process, gates }) => {
    const value = gates?.get(spec.gate);
    const isConcerned = authority === undefined ? (concerned?.includes(component) ?? true) : component === authority;
    const own = value && isConcerned ? ownValue(value) : undefined;
    return own === undefined || own === goal ? [] : [{ component, process, own }];
  });
}

/** What a process that takes published values runs without one; undefined of any other. */
function ownValue({ follows, set, enabled, default: unset, pendingRestart }: GateValue): Target | undefined {
  if (!follows || set) return undefined;
  const own = pendingRestart ? !enabled : unset;
  return own === undefined ? undefined : targetOf(own);
}
