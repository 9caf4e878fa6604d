import type { Kube } from '@slipway/kube';
import { Feature, type PlannedTask } from '../api/feature.js';
import { cleanupOf } from '../controllers/feature-view.js';
import { type VersionStep, versionPlan } from '../lifecycle/version-tasks.js';
import { builtInTasks, TaskCatalog } from '../tasks/task-catalog.js';
import type { UpgradeView } from '../upgrade/upgrade-view.js';

/** What one definition wants done on the way to another version, before anything is done. */
export interface Preparation extends VersionStep {
  readonly feature: Feature;
  /** Due while the version that is left is still there; the others follow by themselves once every API server has the other. */
  readonly before: readonly PlannedTask[];
  readonly after: readonly PlannedTask[];
  /** Whether a task changes objects of users, so that it waits for consent. */
  readonly needsConsent: boolean;
  /** Digest of the plan, which `status.maintenance` carries once the feature server has taken it up. */
  readonly plan: string;
}

/** The tasks of every definition for the way of a view. Nothing is written. */
export function previewPreparations({ from, to, features, definitions }: UpgradeView): readonly Preparation[] {
  const catalog = new TaskCatalog(builtInTasks());
  return features.flatMap((feature) => {
    const definition = definitions.get(feature.spec.gate);
    const plan = definition && versionPlan(definition, { from, to }, (kind) => catalog.isDestructive(kind));
    if (!plan) return [];
    const { before, after, digest } = plan;
    const isDestructive = [...before, ...after].some((task) => task.destructive);
    const needsConsent = isDestructive && cleanupOf(feature, definition) === 'Manual';
    return [{ feature, from, to, before, after, needsConsent, plan: digest }];
  });
}

/** Asks the feature server for what a preview showed, with consent to exactly that plan. */
export async function requestPreparation(
  kube: Kube,
  { feature, to, plan, needsConsent }: Preparation,
  signal?: AbortSignal,
): Promise<Feature> {
  const { name = '', namespace, uid } = feature.metadata;
  const spec = { targetVersion: to, ...(needsConsent && { approvedTransition: `plan-${plan}` }) };
  return kube.resource(Feature).merge({ name, namespace }, { metadata: { uid }, spec }, { signal });
}

/** Whether everything that is due before the move was done. */
export function isPrepared({ status }: Feature, { plan, before }: Preparation): boolean {
  const { maintenance } = status ?? {};
  if (maintenance?.plan !== plan) return before.length === 0;
  return before.every(({ name }) => maintenance.completed.some((done) => done.name === name));
}
