import { hasReason, type Kube, type KubeObject, keyOf } from '@slipway/kube';
import { ValidatingPolicy } from '../api/admission-kinds.js';
import type { GuardStatus } from '../api/feature.js';
import { serverManager, trialNamespace } from '../api/group.js';
import { reachOf } from '../api/scope.js';
import { type Guard, type Guards, guardLabels, guardSelector, guardsOf, type Served } from '../guards/guard-policy.js';
import { type Trial, tryGuard } from '../guards/prove-guard.js';
import { removeGuards } from '../guards/remove-guards.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import { mayItself } from '../rbac/access-reviews.js';
import { parseFieldPath } from '../references/field-path.js';
import type { Task } from './task.js';
import type { TaskContext } from './task-context.js';

export interface InstallGuardOptions {
  /**
   * How long after the guard is in force a write may still come through that was let in before: as long as
   * the API server lets a request run. 60 s when absent, which is its default.
   */
  readonly settleMs?: number | undefined;
  /** Clients of every single API server. The one that the server uses when absent. */
  readonly apiServers?: (() => readonly Kube[]) | undefined;
}

/** How long the policies may take to show an effect before the guard is called unproven. */
const patienceMs = 30_000;

/**
 * Keeps objects from using the feature anew, by admission policies, and proves that
 * they are in force: a policy is not active at the moment it is made, so examples of
 * the definition are sent to each API server as dry runs until all keep them out.
 */
export function installGuard({ settleMs = 60_000, apiServers }: InstallGuardOptions = {}): Task {
  return {
    kind: 'InstallGuard',
    async run(context) {
      const { kube, clock, log, feature, definition, task, signal } = context;
      const served = await usablePolicies(kube, signal);
      if (!served.validating) return { kind: 'done', result: 'Skipped', guard: 'removed' };
      const wanted = guardsOf(feature, definition, served);
      const policies = wanted.guards.map(({ policy }) => policy.metadata.name ?? '');
      const taken = await takenName(kube, wanted, context);
      if (taken !== undefined) {
        return { kind: 'blocked', reason: 'NotOurs', message: `the policy ${taken} belongs to another feature` };
      }
      const stored = await putGuards(kube, wanted, context);
      if (policies.length === 0) return done(wanted, clock.now(), 0);
      if (feature.spec.guard?.mode === 'Warn') return done(wanted, clock.now() + settleMs, 0);

      const servers = apiServers?.() ?? [kube];
      const namespace = reachOf(definition, feature.metadata.namespace) ?? trialNamespace;
      let failure: unknown;
      const onFailure = (error: unknown) => {
        failure = error;
      };
      const options = { namespace, signal, onFailure };
      const trials = await Promise.all(servers.map((server) => tryGuard(server, definition, policies, options)));
      if (trials.every((trial) => trial === 'kept out')) return done(wanted, clock.now() + settleMs, servers.length);
      const warnings = stored.flatMap((policy) => typeWarnings(policy, definition));
      if (warnings.length > 0) return { kind: 'blocked', reason: 'GuardRejected', message: warnings.join('; ') };
      const waitedMs = clock.now() - Date.parse(task.firstAttempt ?? '');
      const isPatient = trials.some((trial) => trial !== 'not tried') && waitedMs < patienceMs;
      if (isPatient) return { kind: 'waiting', reason: 'GuardSettling', message: said(trials), retryAfterMs: 500 };
      if (failure) log.warn('a guard is not proven, because no example could be tried', { policies, error: failure });
      return done(wanted, clock.now() + settleMs, 0);
    },
  };
}

/** Lets the feature be used again. */
export const removeGuard: Task = {
  kind: 'RemoveGuard',
  async run({ kube, feature, signal }) {
    const removed = await removeGuards(kube, guardSelector(feature), () => true, signal).catch((error: unknown) => {
      // A server that was never given the right has made none.
      if (!feature.status?.guard && hasReason(error, 'Forbidden')) return 0;
      throw error;
    });
    return { kind: 'done', guard: 'removed', ...(removed === 0 && { result: 'Skipped' }) };
  },
};

/** A policy of that name that is not of this feature: names are short, so that a user could aim for that of another. */
async function takenName(
  kube: Kube,
  { guards }: Guards,
  { feature, signal }: TaskContext,
): Promise<string | undefined> {
  const labels = Object.entries(guardLabels(feature));
  for (const { policyKind, policy } of guards) {
    const name = policy.metadata.name ?? '';
    const before = await kube.resource(policyKind).find({ name }, signal);
    if (before && labels.some(([label, value]) => before.metadata.labels?.[label] !== value)) return name;
  }
  return undefined;
}

/** Makes the policies and bindings that are wanted, and takes away those of another mode. Repeatable. */
async function putGuards(kube: Kube, { guards }: Guards, { feature, signal }: TaskContext): Promise<KubeObject[]> {
  const stored: KubeObject[] = [];
  for (const { policyKind, policy, bindingKind, binding } of guards) {
    const options = { fieldManager: serverManager, force: true, signal };
    stored.push(await kube.resource(policyKind).apply(configuration(policy), options));
    await kube.resource(bindingKind).apply(configuration(binding), options);
  }
  const keep = new Set(guards.flatMap(({ policy, binding }) => [policy, binding]).map(nameOfKind));
  await removeGuards(kube, guardSelector(feature), (object) => !keep.has(nameOfKind(object)), signal);
  return stored;
}

function done({ guards, unguarded }: Guards, activeMs: number, verifiedReplicas: number): TaskOutcome {
  const policies = guards.map(({ policy }: Guard) => policy.metadata.name ?? '');
  const activeSince = new Date(activeMs).toISOString();
  const guard: GuardStatus = { policies, activeSince, verifiedReplicas, ...(unguarded.length > 0 && { unguarded }) };
  return policies.length === 0 && unguarded.length === 0
    ? { kind: 'done', result: 'Skipped', guard: 'removed' }
    : { kind: 'done', objects: policies.length, guard };
}

/** The kinds of policies that the API server has, and that this server may make: guards are an option of an installation. */
async function usablePolicies(kube: Kube, signal: AbortSignal): Promise<Served> {
  const discovery = await kube.discover(signal);
  const { group } = ValidatingPolicy;
  const usable = async (kind: string) => {
    const found = discovery.find({ group, kind });
    const right = found && { verb: 'create', group, resource: found.plural };
    return right && (await mayItself(kube, right, signal)) ? found.version : undefined;
  };
  const mutating = await usable('MutatingAdmissionPolicy');
  const validating = (await usable(ValidatingPolicy.kind)) !== undefined;
  return { validating, ...(mutating !== undefined && { mutating }) };
}

/**
 * What the API server's type check says. That it does not know the guarded field
 * itself is not a problem: an API server with the gate off does not publish it.
 */
function typeWarnings(policy: KubeObject, { references = [] }: TaskContext['definition']): readonly string[] {
  const lastFields = references.flatMap(({ path }) => {
    const last = path === undefined ? undefined : parseFieldPath(path).findLast((step) => step.kind === 'field');
    return last?.kind === 'field' ? [last.name] : [];
  });
  const found: readonly { readonly warning: string }[] = policy.status?.typeChecking?.expressionWarnings ?? [];
  const undefinedFields = found.flatMap(({ warning }) =>
    [...warning.matchAll(/undefined field '([^']+)'/g)].map(([, name = '']) => name),
  );
  const wrong = [...new Set(undefinedFields)].filter((name) => !lastFields.includes(name));
  return wrong.map((name) => `the API server knows no field ${name} on a path that the definition names`);
}

function said(trials: readonly Trial[]): string {
  const counted = (wanted: Trial) => trials.filter((trial) => trial === wanted).length;
  return [
    [counted('let in'), 'still let a trial write in'],
    [counted('failed'), 'could not be tried, since the trial write failed for another reason'],
  ]
    .flatMap(([count, what]) => (count === 0 ? [] : `${count} of ${trials.length} API servers ${what}`))
    .join('; ');
}

function configuration({ metadata, ...object }: KubeObject) {
  return { ...object, metadata: { ...metadata, name: metadata.name ?? '' } };
}

function nameOfKind(object: KubeObject): string {
  return `${object.kind}/${keyOf(object)}`;
}
