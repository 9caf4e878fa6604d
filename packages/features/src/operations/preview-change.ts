import type { Kube } from '@slipway/kube';
import type { Cleanup, Dangling, Feature, Mode, PlannedTask, Target } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import { cleanupOf } from '../controllers/feature-view.js';
import { consentTo, planFor } from '../lifecycle/plan.js';
import { reaches, settable, steers } from '../lifecycle/steering.js';
import { FieldPathError, parseFieldPath } from '../references/field-path.js';
import { riskOf } from '../references/path-safety.js';
import { scanReferences } from '../references/scan.js';
import { paceOf } from '../tasks/pace.js';
import { builtInTasks, TaskCatalog } from '../tasks/task-catalog.js';
import { ChangeRefusedError } from './request-change.js';

/** What turning a feature on or off would do, before anything is done. */
export interface ChangePreview {
  readonly feature: Feature;
  readonly to: Target;
  /** Absent when nothing declares the gate: it cannot be turned then. */
  readonly definition?: FeatureDefinition;
  /** `same` when the feature is, or already goes, where it should. */
  readonly change: 'same' | 'begin' | 'supersede';
  /** Whether processes take the value from the API; otherwise each must be set by its own flags. */
  readonly mode: Mode;
  readonly cleanup: Cleanup;
  readonly tasks: readonly PlannedTask[];
  /** What uses the feature now. Only looked for when turning off. */
  readonly inUse?: Dangling;
  /** How many workloads would replace their pods because a field of their pod template is cleared. */
  readonly rollouts: number;
  /** Whether the plan waits for consent. */
  readonly needsConsent: boolean;
  /** Consent to exactly this plan, for `requestChange`. */
  readonly consent: string;
}

/** Reads what a change would do. Writes nothing. */
export async function previewChange(
  kube: Kube,
  feature: Feature,
  to: Target,
  signal: AbortSignal = new AbortController().signal,
): Promise<ChangePreview> {
  return preview(kube, feature, to, (definition) => modeFor(feature, definition), signal);
}

/** Reads what clearing the uses of a feature that is off would do. Writes nothing. */
export async function previewClean(
  kube: Kube,
  feature: Feature,
  signal: AbortSignal = new AbortController().signal,
): Promise<ChangePreview> {
  const { spec, status } = feature;
  if (status?.state !== 'Off') {
    const message = `${spec.gate} is ${status?.state ?? 'Unknown'}; what uses a feature is cleared while it is Off`;
    throw new ChangeRefusedError('NothingToClean', message);
  }
  const mode = steers(spec, status?.settable) ? (spec.mode ?? 'Follow') : 'Follow';
  return { ...(await preview(kube, feature, 'Off', () => mode, signal)), change: 'begin' };
}

async function preview(
  kube: Kube,
  feature: Feature,
  to: Target,
  modeOf: (definition: FeatureDefinitionSpec) => Mode,
  signal: AbortSignal,
): Promise<ChangePreview> {
  const { name = '', namespace } = feature.metadata;
  const { spec, status = {} } = feature;
  const definition = await kube.resource(FeatureDefinition).find({ name, namespace }, signal);
  const cleanup = cleanupOf(feature, definition?.spec);
  if (!definition) {
    return {
      feature,
      to,
      change: 'begin',
      mode: 'Follow',
      cleanup,
      tasks: [],
      rollouts: 0,
      needsConsent: false,
      consent: '',
    };
  }
  const catalog = new TaskCatalog(builtInTasks());
  const mode = modeOf(definition.spec);
  const isDestructive = (kind: string) => catalog.isDestructive(kind);
  const planned = planFor({
    definition: definition.spec,
    to,
    steered: mode !== 'Follow',
    isDestructive,
    guard: spec.guard,
    canary: spec.canary,
  });

  const { transition } = status;
  const isUnderWay = transition?.to === to && (spec.mode ?? 'Follow') === mode;
  const change = isUnderWay || (!transition && status.state === to) ? 'same' : transition ? 'supersede' : 'begin';
  const tasks = isUnderWay ? transition.tasks : planned;
  const references = definition.spec.references ?? [];
  const { pageSize } = paceOf(spec);
  const scan = { kube, references, namespace: reachOf(definition.spec, namespace), pageSize, signal };
  const inUse = to === 'Off' ? await scanReferences({ ...scan, nowMs: kube.clock.now() }) : undefined;
  const rolls = references.some(({ group, resource, path }) => isRollout(group, resource, path));
  return {
    feature,
    to,
    definition,
    change,
    mode,
    cleanup,
    tasks,
    ...(inUse && { inUse }),
    rollouts: rolls ? (inUse?.count ?? 0) : 0,
    needsConsent: cleanup === 'Manual' && tasks.some((task) => task.destructive),
    consent: isUnderWay ? transition.id : consentTo(planned, to, (status.transitions ?? 0) + 1),
  };
}

/** The most dynamic way that is open; what a person has set centrally stays so. */
function modeFor({ spec, status }: Feature, definition: FeatureDefinitionSpec): Mode {
  // A Feature that no server has looked at yet: what the definition says is all there is to go by.
  const may = status?.settable ?? settable({ gate: spec.gate, definition, config: undefined, isAllowed: true });
  if (reaches(may, 'Dynamic')) return 'Dynamic';
  return spec.mode === 'Central' && reaches(may, 'Central') ? 'Central' : 'Follow';
}

function isRollout(group: string, resource: string, path: string | undefined): boolean {
  if (path === undefined) return false;
  try {
    return riskOf({ group, resource }, parseFieldPath(path))?.kind === 'rollout';
  } catch (error) {
    if (error instanceof FieldPathError) return false;
    throw error;
  }
}
