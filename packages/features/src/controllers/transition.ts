import { type EventRecorder, hasReason, type Kube, type Lister, type Reconciler, StatusError } from '@slipway/kube';
import { type Dangling, Feature, type FeatureStatus } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import type { Leadership } from '../leadership/leadership.js';
import type { Effect } from '../lifecycle/effect.js';
import { blocksAfter } from '../lifecycle/failure.js';
import { type Step, step } from '../lifecycle/step.js';
import type { TaskReport } from '../lifecycle/task-outcome.js';
import { at } from '../lifecycle/transition.js';
import { retireFeature } from '../operations/retire-feature.js';
import { type Right, rightsOfScan, rightsOfStep } from '../rbac/rights-of-step.js';
import { scanReferences } from '../references/scan.js';
import { paceOf } from '../tasks/pace.js';
import { SupersededError } from '../tasks/task.js';
import { raiseEpoch } from '../uses/epoch.js';
import { waivedObjects } from '../uses/waivers.js';
import { Contention } from './contention.js';
import { FailureBackoff } from './failure-backoff.js';
import { FeatureView, type ViewDeps } from './feature-view.js';
import { rightsRemedy } from './rights-remedy.js';
import { permissionMs, runTask } from './run-task.js';
import { writeStatus } from './write-status.js';

export interface TransitionDeps extends ViewDeps {
  readonly features: Lister<Feature>;
  readonly leadership: Leadership;
  /** Namespace of the feature server. */
  readonly home: string;
  /** How long reports of a namespace are gathered before they are counted. */
  readonly gatherMs: (namespace: string) => number;
}

/** Steps taken in a row before other features get their turn. */
const mostSteps = 20;

/**
 * Moves a Feature towards its configured value: reads, decides, writes, does.
 *
 * What is done next is always written before it is done, with the version of the
 * Feature that was decided upon. So a second server, or this one after a crash,
 * finds out what was going on, and at most repeats it.
 */
export function transitionReconciler(deps: TransitionDeps): Reconciler {
  const { kube, leadership, features, tasks } = deps;
  const monotonicMs = () => kube.clock.monotonicMs();
  const contention = new Contention(monotonicMs);
  const backoff = new FailureBackoff(monotonicMs);
  const scanBackoff = new FailureBackoff(monotonicMs);
  return async (ref, { signal, log, events }) => {
    let feature = features.get(ref);
    const key = `${ref.namespace}/${ref.name}`;
    const restMs = feature ? contention.waitMs(feature, deps.gatherMs(ref.namespace ?? '')) : 0;
    const waitMs = Math.max(restMs, backoff.waitMs(key));
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    let report: TaskReport | undefined;
    let audit: Dangling | undefined;
    for (let steps = 0; steps < mostSteps; steps++) {
      if (!feature || feature.metadata.deletionTimestamp || !leadership.leads(ref)) return;
      const view: FeatureView = await FeatureView.of(deps, feature, signal);
      const situation = view.situation(report, audit);
      if (!situation) return { requeueAfterMs: 100 };
      const decided = step(situation);
      let written: Feature | undefined;
      try {
        written = await writeStep(deps, feature, decided, signal);
      } catch (error) {
        const instead = report && withoutRejected(report, error);
        if (instead) {
          report = instead;
          continue;
        }
        if (!signal.aborted) backoff.failed(key, deps.random());
        throw error;
      }
      if (!written) {
        // Somebody wrote meanwhile: decide anew, about what is there now, knowing what was done.
        feature = await kube.resource(Feature).find(ref, signal);
        continue;
      }
      if (written !== feature) {
        contention.wrote(feature, written);
        backoff.succeeded(key);
      }
      const isConfirmed: boolean = written !== feature || report !== undefined;
      feature = written;
      report = undefined;
      audit = undefined;
      emit(events, feature, decided.effects);

      const declared = view.definition;
      const definition = declared?.spec;
      const { run, wantsAudit, retires, wakeAfterMs } = wishes(decided.effects);
      if (retires) return await retire(deps, feature, events, signal);
      const acting = written;
      const hindranceTo = async (rights: readonly Right[]) =>
        declared && deps.authors.hindrance(rights, { definition: declared, feature: acting }, signal);
      if (wantsAudit && definition) {
        const hindrance = await hindranceTo(rightsOfScan(definition, written));
        if (hindrance) {
          audit = notScanned(hindrance.message, kube.clock.now());
          continue;
        }
        const scanMs = scanBackoff.waitMs(key);
        if (scanMs > 0) return { requeueAfterMs: scanMs };
        try {
          audit = await scan(deps, feature, definition, signal);
          scanBackoff.succeeded(key);
        } catch (error) {
          if (!signal.aborted) scanBackoff.failed(key, deps.random());
          throw error;
        }
        continue;
      }
      if (!run || !definition) {
        const asksAgain = situation.definition?.refusal ? permissionMs : undefined;
        const restMs = wakeAfterMs ?? asksAgain;
        return restMs === undefined ? undefined : { requeueAfterMs: Math.min(restMs, asksAgain ?? restMs) };
      }

      const isHarmless = tasks.get(run.kind)?.readOnly ?? false;
      if (!isConfirmed && !isHarmless && !(await isCurrent(kube, feature, signal))) return { requeueAfterMs: 50 };
      try {
        const uses = () => view.countIn(written) ?? situation.uses;
        const rollCalls = () => view.rollCallsIn(written);
        const neighbours = () => view.neighbours();
        const ran = await runTask({
          kube,
          tasks,
          home: deps.home,
          log,
          signal,
          feature,
          definition,
          task: run,
          consent: run.destructive && situation.cleanup === 'Manual' ? feature.spec.consent : undefined,
          isCurrent: () => view.isCurrent(),
          uses,
          rollCalls,
          neighbours,
          hindrance: () => hindranceTo(rightsOfStep(run, definition, acting)),
        });
        ({ feature, report } = ran);
      } catch (error) {
        if (!(error instanceof SupersededError)) throw error;
        log.info('a task stopped because something else is wanted now', { task: run.name });
        return { requeueAfterMs: 1 };
      }
    }
    return { requeueAfterMs: 1 };
  };
}

/**
 * The report of a task whose outcome the API server does not let into a status: that it failed, and why. Undefined for
 * other errors, and when even that was rejected.
 */
function withoutRejected(report: TaskReport, error: unknown): TaskReport | undefined {
  const isRejected = error instanceof StatusError && [400, 413, 422].includes(error.code);
  const prefix = 'the API server rejected what it came to: ';
  if (!isRejected || (report.outcome.kind === 'failed' && report.outcome.message.startsWith(prefix))) return undefined;
  const outcome = { kind: 'failed', message: `${prefix}${error.message}`, blocksAfter: blocksAfter.likely } as const;
  return { ...report, outcome };
}

/** Looks for objects that use a feature that is off. What this server may not see came to nothing, and says what would help. */
async function scan(
  { kube }: TransitionDeps,
  feature: Feature,
  definition: FeatureDefinitionSpec,
  signal: AbortSignal,
): Promise<Dangling> {
  const { references = [] } = definition;
  const { pageSize } = paceOf(feature.spec);
  const nowMs = kube.clock.now();
  const waived = waivedObjects(feature.spec.waivers, nowMs);
  const namespace = reachOf(definition, feature.metadata.namespace);
  try {
    return await scanReferences({ kube, references, namespace, pageSize, nowMs, signal, waived });
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    return notScanned(`${error.message}; ${rightsRemedy(feature)}`, nowMs);
  }
}

function notScanned(note: string, nowMs: number): Dangling {
  return { count: 0, complete: false, scannedAt: at(nowMs), samples: [], note: note.slice(0, 512) };
}

/** Opens a round if the step asks for one, and writes the status. Undefined when somebody was faster. */
async function writeStep(
  { kube, uses }: TransitionDeps,
  feature: Feature,
  { status, effects }: Step,
  signal: AbortSignal,
): Promise<Feature | undefined> {
  let next: FeatureStatus = status;
  if (status.uses && effects.some(({ kind }) => kind === 'raiseEpoch')) {
    const namespace = feature.metadata.namespace ?? '';
    const above = Math.max(status.uses.epoch, uses.newestEpoch(namespace));
    const epoch = await raiseEpoch(kube, { namespace, processes: uses.processes(namespace), above }, signal);
    next = { ...status, uses: { ...status.uses, epoch, epochAt: at(kube.clock.now()) } };
  }
  try {
    return await writeStatus(kube, feature, next, signal);
  } catch (error) {
    if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Takes away a Feature, as it was decided upon, that nobody knows any more, and what an older server said of it. */
async function retire(
  { kube, definitions }: TransitionDeps,
  feature: Feature,
  events: EventRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace, uid = '', resourceVersion = '' } = feature.metadata;
  const message = `nobody knows ${feature.spec.gate} since ${feature.status?.unknownSince}, and nothing of it is left`;
  events.event(feature, 'Normal', 'FeatureRetired', message);
  await retireFeature(
    kube,
    { name, namespace },
    definitions.get({ name, namespace }),
    { uid, resourceVersion },
    signal,
  );
}

/** Whether the Feature is still the one that was decided upon: a cache may lag behind what was done already. */
async function isCurrent(kube: Kube, { metadata }: Feature, signal: AbortSignal): Promise<boolean> {
  const { name = '', namespace } = metadata;
  const stored = await kube.resource(Feature).find({ name, namespace }, signal);
  return stored?.metadata.resourceVersion === metadata.resourceVersion;
}

function emit(events: EventRecorder, feature: Feature, effects: readonly Effect[]): void {
  for (const effect of effects) {
    if (effect.kind === 'event') events.event(feature, effect.type, effect.reason, effect.message);
  }
}

function wishes(effects: readonly Effect[]) {
  const runs = effects.flatMap((effect) => (effect.kind === 'run' ? [effect.task] : []));
  const waits = effects.flatMap((effect) => (effect.kind === 'wakeAfter' ? [effect.ms] : []));
  return {
    run: runs[0],
    wantsAudit: effects.some(({ kind }) => kind === 'audit'),
    retires: effects.some(({ kind }) => kind === 'retire'),
    wakeAfterMs: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}
