import { findCondition, type Kube } from '@slipway/kube';
import type { Consent, ConsentedObjects, Feature, PlannedTask, TaskStatus, Transition } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { kubernetesNamespace } from '../api/group.js';
import { builtInTasks, TaskCatalog } from '../catalogue/task-catalog.js';
import { serverProblem, serverRemedy } from '../leadership/server-liveness.js';
import { changedBefore, consentMs, maxConsentMs } from '../lifecycle/consent.js';
import { revisionOf } from '../view/feature-view.js';
import { ChangeRefusedError } from './change-refused.js';
import { readServerLiveness } from './read-server-liveness.js';

/** What a person has seen of a plan. Consent covers this and nothing else. */
export interface Shown {
  readonly feature: Feature;
  readonly definition: FeatureDefinition;
  /** Digest of the plan. */
  readonly plan: string;
  /** Objects of each task that changes users' objects and whose objects can be counted. */
  readonly objects: readonly ConsentedObjects[];
}

export interface ConsentOptions {
  /** How long the consent holds: an hour when absent, at most 24. */
  readonly forMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes consent to what was shown. Every command that consents does it here.
 * @throws ChangeRefusedError (CannotRun) while nothing could come of it: it would lie there until something can.
 */
export async function consentTo(kube: Kube, shown: Shown, options: ConsentOptions = {}): Promise<Consent> {
  const { forMs = consentMs, signal } = options;
  await requireRunnable(kube, shown, signal);
  const expires = new Date(kube.clock.now() + Math.min(forMs, maxConsentMs)).toISOString();
  return { plan: shown.plan, definition: revisionOf(shown.definition), objects: shown.objects, expires };
}

/**
 * Checks that a feature server can do what a definition wants done.
 * @throws ChangeRefusedError (CannotRun)
 */
export async function requireRunnable(
  kube: Kube,
  { feature, definition }: Pick<Shown, 'feature' | 'definition'>,
  signal?: AbortSignal,
): Promise<void> {
  const { gate } = feature.spec;
  const { name = '', namespace = '' } = definition.metadata;
  const refuse = (why: string, fix: string): never => {
    throw new ChangeRefusedError('CannotRun', `nothing can be done to ${gate}: ${why}`, fix);
  };
  if (feature.spec.paused) {
    const where = namespace === kubernetesNamespace ? '' : ` -n ${namespace}`;
    refuse('it is paused', `slipway feature resume ${gate}${where}`);
  }
  const look = `kubectl -n ${namespace} get featuredefinition ${name} -o yaml`;
  const stored = await kube.resource(FeatureDefinition).find({ name, namespace }, signal);
  if (!stored)
    return refuse('its FeatureDefinition was deleted', `create the FeatureDefinition ${name} in ${namespace}`);
  if (revisionOf(stored) !== revisionOf(definition)) refuse('its definition has changed since it was shown', look);
  const servers = serverProblem(await readServerLiveness(kube, [feature], signal));
  if (servers !== undefined) refuse(servers, serverRemedy);
  const accepted = findCondition(stored.status?.conditions, 'Accepted');
  if (accepted?.status !== 'True') {
    refuse(
      accepted
        ? `its definition is not accepted: ${accepted.message}`
        : 'no feature server has checked its definition yet',
      accepted ? `kubectl -n ${namespace} edit featuredefinition ${name}` : look,
    );
  }
  if (accepted?.observedGeneration !== stored.metadata.generation) {
    refuse('no feature server has checked the newest version of its definition yet', look);
  }
  const blocked = findCondition(feature.status?.conditions, 'Blocked');
  if (blocked?.status === 'True' && hindering.includes(blocked.reason)) {
    refuse(blocked.message, `slipway feature get ${gate} -n ${namespace}`);
  }
}

/** Reasons of Blocked that hold everything up, whatever task comes next. */
const hindering: readonly string[] = ['Definition', 'NoDefinition', 'NotSeen', 'NameCollision'];

/** Counts the objects of tasks that change users' objects, with those that they have changed already. */
export async function showObjects(
  kube: Kube,
  { feature, definition }: Pick<Shown, 'feature' | 'definition'>,
  tasks: readonly (PlannedTask | TaskStatus)[],
  work: Transition | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ConsentedObjects[]> {
  const catalog = new TaskCatalog(builtInTasks());
  const shown: ConsentedObjects[] = [];
  for (const task of tasks) {
    const extent = task.destructive ? catalog.get(task.kind)?.extent : undefined;
    if (!extent) continue;
    const input = { kube, clock: kube.clock, signal, feature, definition: definition.spec, args: task.args ?? {} };
    const now = await extent.count(input);
    const before = work
      ? changedBefore(work, task) + extent.changed('checkpoint' in task ? task.checkpoint : undefined)
      : 0;
    shown.push({ task: task.name, ...now, count: before + now.count });
  }
  return shown;
}
