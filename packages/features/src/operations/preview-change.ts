import type { Kube } from '@slipway/kube';
import type { Dangling } from '../api/dangling.js';
import type { Cleanup, ConsentedObjects, Feature, Mode, PlannedTask, Transition } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import type { Target } from '../api/target.js';
import { builtInTasks, TaskCatalog } from '../catalogue/task-catalog.js';
import { workOf } from '../lifecycle/maintenance.js';
import { planDigest, planFor } from '../lifecycle/plan.js';
import { reaches, settable, steers } from '../lifecycle/steering.js';
import { referencesOf } from '../references/embedding.js';
import { FieldPathError, parseFieldPath } from '../references/field-path.js';
import { riskOf } from '../references/path-safety.js';
import { scanReferences } from '../references/scan.js';
import { paceOf } from '../tasks/pace.js';
import { cleanupOf } from '../view/feature-view.js';
import { ChangeRefusedError } from './change-refused.js';
import { type Shown, showObjects } from './give-consent.js';

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
  /** Digest of the plan. */
  readonly plan: string;
  /** What tasks would change that need consent. */
  readonly objects: readonly ConsentedObjects[];
}

/** Reads what a change would do. Writes nothing. */
export async function previewChange(
  kube: Kube,
  feature: Feature,
  to: Target,
  signal: AbortSignal = new AbortController().signal,
): Promise<ChangePreview> {
  const change = await preview(kube, feature, to, (definition) => modeFor(feature, definition), signal);
  const isThere = !feature.status?.transition && feature.status?.state === to;
  // Consent would be taken for a wish to clean what was left behind, which is another command.
  return isThere ? { ...change, needsConsent: false, objects: [] } : change;
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
      plan: '',
      objects: [],
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
  const references = referencesOf(definition.spec);
  const { pageSize } = paceOf(spec);
  const scan = { kube, references, namespace: reachOf(definition.spec, namespace), pageSize, signal };
  const inUse = to === 'Off' ? await scanReferences({ ...scan, nowMs: kube.clock.now() }) : undefined;
  const needsConsent = cleanup === 'Manual' && tasks.some((task) => task.destructive);
  const work = isUnderWay ? transition : undefined;
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
    needsConsent,
    plan: isUnderWay ? transition.plan : planDigest(planned, to, (status.transitions ?? 0) + 1),
    objects: needsConsent ? await showObjects(kube, { feature, definition }, tasks, work, signal) : [],
  };
}

/** What waits for consent: the tasks that are left, and the objects they change. */
export interface ApprovalPreview extends Shown {
  readonly work: Transition;
}

/**
 * Reads what approving would agree to. Writes nothing.
 * @throws ChangeRefusedError when nothing waits for consent.
 */
export async function previewApproval(kube: Kube, feature: Feature, signal?: AbortSignal): Promise<ApprovalPreview> {
  const { gate } = feature.spec;
  const { name = '', namespace } = feature.metadata;
  const work = workOf(feature.status);
  if (work?.tasks[0]?.reason !== 'NeedsApproval') {
    throw new ChangeRefusedError('NothingToApprove', `${gate} does not wait for consent`);
  }
  const definition = await kube.resource(FeatureDefinition).find({ name, namespace }, signal);
  if (!definition) throw new ChangeRefusedError('NoDefinition', `no FeatureDefinition declares ${gate}`);
  const objects = await showObjects(kube, { feature, definition }, work.tasks, work, signal);
  return { feature, definition, plan: work.plan, work, objects };
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
