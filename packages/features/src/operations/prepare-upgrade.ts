import { type Kube, timestamp } from '@slipway/kube';
import type { Feature, PlannedTask } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { builtInTasks, TaskCatalog } from '../catalogue/task-catalog.js';
import { targetOf, wasPassedOver, workOf } from '../lifecycle/maintenance.js';
import { type VersionPlan, type VersionStep, versionPlan } from '../lifecycle/version-tasks.js';
import { mergeSpec } from '../rbac/own-author.js';
import type { UpgradeView } from '../upgrade/upgrade-view.js';
import { cleanupOf } from '../view/feature-view.js';
import { ChangeRefusedError } from './change-refused.js';
import { type ConsentOptions, consentTo, requireRunnable, type Shown, showObjects } from './give-consent.js';

/** What one definition wants done on the way to another version, before anything is done. */
export interface Preparation extends VersionStep, Shown {
  /** Due while the version that is left is still there; the others follow by themselves once every API server has the other. */
  readonly before: readonly PlannedTask[];
  readonly after: readonly PlannedTask[];
  /** Whether a task changes objects of users, so that it waits for consent. */
  readonly needsConsent: boolean;
  /** `Again`: nothing is under way, and new objects have appeared since, or tasks were passed over. */
  readonly state: 'Open' | 'Done' | 'Again';
}

/** The tasks of every definition for the way of a view, with the objects that they would change now. Writes nothing. */
export async function previewPreparations(
  kube: Kube,
  { from, to, features, definitions }: Pick<UpgradeView, 'from' | 'to' | 'features' | 'definitions'>,
  signal?: AbortSignal,
): Promise<readonly Preparation[]> {
  const catalog = new TaskCatalog(builtInTasks());
  const preparations: Preparation[] = [];
  for (const feature of features) {
    const declared = definitions.get(feature.spec.gate);
    const planOf = (request: string | undefined) =>
      declared && versionPlan(declared, { from, to, request }, (kind) => catalog.isDestructive(kind));
    const asked = planOf(feature.spec.targetRequest);
    const { name = '', namespace } = feature.metadata;
    const definition = asked && (await kube.resource(FeatureDefinition).find({ name, namespace }, signal));
    if (!asked || !definition) continue;
    const { before, after } = asked;
    const tasks = [...before, ...after];
    const isOver = isComplete(feature, asked);
    const isKnown = feature.status?.maintenance?.plan === asked.digest && !isOver;
    const objects = await showObjects(
      kube,
      { feature, definition },
      tasks,
      isKnown ? workOf(feature.status) : undefined,
      signal,
    );
    const isLeft = objects.some(({ count }) => count > 0) || feature.status?.maintenance?.completed.some(wasPassedOver);
    const state = !isOver ? 'Open' : isLeft ? 'Again' : 'Done';
    const { targetRequest } = feature.spec;
    // Reached before: only another request makes it a new one.
    const isSpent =
      state === 'Open' && feature.status?.targetReached === targetOf({ ...feature.spec, targetVersion: to });
    const request = state === 'Again' || isSpent ? newRequest(kube, feature) : targetRequest;
    const plan = planOf(request)?.digest ?? asked.digest;
    const needsConsent = tasks.some((task) => task.destructive) && cleanupOf(feature, declared) === 'Manual';
    preparations.push({ feature, definition, from, to, request, before, after, needsConsent, plan, state, objects });
  }
  return preparations;
}

/**
 * Asks the feature server for what a preview showed, with consent to exactly that.
 * @throws ChangeRefusedError (CannotRun) while nothing could come of it.
 */
export async function requestPreparation(
  kube: Kube,
  preparation: Preparation,
  options: ConsentOptions = {},
): Promise<Feature> {
  const { feature, to, request, needsConsent } = preparation;
  const { name = '', namespace, uid } = feature.metadata;
  await requireRunnable(kube, preparation, options.signal);
  if (feature.status?.transition) {
    const message = `${feature.spec.gate} is on its way to ${feature.status.transition.to}, and is prepared once it is there`;
    throw new ChangeRefusedError('CannotRun', message, `slipway feature watch ${feature.spec.gate}`);
  }
  const destructive = [...preparation.before, ...preparation.after].filter((task) => task.destructive);
  if (destructive.length > 0 && cleanupOf(feature, preparation.definition.spec) === 'Never') {
    const message = `cleanup of ${feature.spec.gate} is Never, so these tasks would be skipped: ${destructive.map((task) => task.name).join(', ')}`;
    const patch = `'{"spec":{"cleanup":"Manual"}}'`;
    throw new ChangeRefusedError(
      'CannotRun',
      message,
      `kubectl -n ${namespace} patch feature ${name} --type merge -p ${patch}`,
    );
  }
  const spec = {
    targetVersion: to,
    ...(request !== undefined && { targetRequest: request }),
    ...(needsConsent && { consent: await consentTo(kube, preparation, options) }),
  };
  return mergeSpec(kube, { name, namespace }, { metadata: { uid }, spec }, options.signal);
}

/** Whether everything that is due before the move was done. */
export function isPrepared({ status }: Feature, { plan, before }: Pick<Preparation, 'plan' | 'before'>): boolean {
  const { maintenance } = status ?? {};
  if (maintenance?.plan !== plan) return before.length === 0;
  return before.every(({ name }) => maintenance.completed.some((done) => done.name === name));
}

/** Whether nothing of a plan is left that is due now. */
function isComplete(feature: Feature, { digest: plan, before }: VersionPlan): boolean {
  const { maintenance } = feature.status ?? {};
  return maintenance?.plan === plan && maintenance.tasks.length === 0 && isPrepared(feature, { plan, before });
}

function newRequest(kube: Kube, { metadata }: Feature): string {
  return `${timestamp(kube.clock.now())}-${metadata.resourceVersion ?? ''}`.slice(0, 64);
}
