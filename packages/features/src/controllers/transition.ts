import type { EventRecorder, Kube, Lister, Logger, ObjectRef, Reconciler, SpanRecorder } from '@slipway/kube';
import type { Dangling } from '../api/dangling.js';
import { Feature, type TaskStatus } from '../api/feature.js';
import type { FeatureDefinition } from '../api/feature-definition.js';
import type { Leadership } from '../leadership/leadership.js';
import { earliest } from '../lifecycle/decision.js';
import { finishedSpans } from '../lifecycle/finished-spans.js';
import type { Situation } from '../lifecycle/situation.js';
import { type Step, step } from '../lifecycle/step.js';
import type { TaskReport } from '../lifecycle/task-outcome.js';
import { retireFeature } from '../operations/retire-feature.js';
import { type Right, rightsOfScan, rightsOfStep } from '../rbac/rights-of-step.js';
import { CustomKinds } from '../references/read-custom-kinds.js';
import { SupersededError } from '../tasks/task.js';
import { FeatureView, type ViewDeps } from '../view/feature-view.js';
import { Contention } from './contention.js';
import { FailureBackoff } from './failure-backoff.js';
import { recordStep, reportRejection } from './record-step.js';
import { permissionMs, runTask } from './run-task.js';
import { notScanned, scanFeature } from './scan-feature.js';

export interface TransitionDeps extends ViewDeps {
  readonly features: Lister<Feature>;
  readonly leadership: Leadership;
  /** Namespace of the feature server. */
  readonly home: string;
  /** How long reports of a namespace are gathered before they are counted, in milliseconds. */
  readonly gatherMs: (namespace: string) => number;
  /** Receives transitions and their tasks as they end. */
  readonly trace: SpanRecorder | undefined;
}

/** Maximum number of passes over one Feature in a row; then other Features are reconciled. */
const maxPasses = 20;

/** One reconciliation of one Feature. */
interface Run {
  readonly deps: TransitionDeps;
  readonly ref: ObjectRef;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly contention: Contention;
  readonly writes: FailureBackoff;
  readonly scans: FailureBackoff;
  readonly customKinds: CustomKinds;
}

/** What a pass starts from: the Feature, and the results of the pass before. */
interface Pass {
  readonly feature: Feature | undefined;
  readonly report?: TaskReport | undefined;
  readonly scan?: Dangling | undefined;
}

/** How a pass ends: another one follows, or the reconciliation is over. */
type PassEnd = { readonly again: Pass } | { readonly result: { readonly requeueAfterMs: number } | undefined };

/** A step that was written, and what it was decided upon. */
interface Written {
  readonly view: FeatureView;
  readonly situation: Situation;
  /** As it is stored now. */
  readonly feature: Feature;
  readonly definition: FeatureDefinition;
  /** Whether this server has just written the Feature or run its task, so that `feature` is not an old copy. */
  readonly isConfirmed: boolean;
}

/**
 * Moves a Feature towards its configured value: reads, decides, writes, acts.
 *
 * Every action is written before it is taken, at the resource version that was
 * decided upon. So a second server, or this one after a crash, finds out what
 * was under way, and at most repeats it.
 */
export function transitionReconciler(deps: TransitionDeps): Reconciler {
  const monotonicMs = () => deps.kube.clock.monotonicMs();
  const contention = new Contention(monotonicMs);
  const writes = new FailureBackoff(monotonicMs);
  const scans = new FailureBackoff(monotonicMs);
  const customKinds = new CustomKinds();
  return async (ref, { signal, log, events }) => {
    const feature = deps.features.get(ref);
    const key = `${ref.namespace}/${ref.name}`;
    const restMs = feature ? contention.waitMs(feature, deps.gatherMs(ref.namespace ?? '')) : 0;
    const waitMs = Math.max(restMs, writes.waitMs(key));
    if (waitMs > 0) return { requeueAfterMs: waitMs };

    const run: Run = { deps, ref, key, signal, log, events, contention, writes, scans, customKinds };
    let pass: Pass = { feature };
    for (let passes = 0; passes < maxPasses; passes++) {
      const end = await takePass(run, pass);
      if ('result' in end) return end.result;
      pass = end.again;
    }
    return { requeueAfterMs: 1 };
  };
}

/** Carries out one step in the order of its fields. */
async function takePass(run: Run, pass: Pass): Promise<PassEnd> {
  const { deps, ref, signal, events } = run;
  const { feature } = pass;
  if (!feature || feature.metadata.deletionTimestamp || !deps.leadership.leads(ref)) return { result: undefined };
  const view = await FeatureView.of(deps, feature, signal);
  const situation = view.situation(pass.report, pass.scan);
  if (!situation) return requeueAfter(100);

  const decided = step(situation);
  const recorded = await record(run, { ...pass, feature }, decided);
  if ('again' in recorded) return recorded;
  const stored = recorded.feature;
  for (const { type, reason, message } of decided.events) events.event(stored, type, reason, message);

  const { next, wakeAfterMs } = decided;
  if (next?.kind === 'retire') return await retire(run, stored);
  const { definition } = view;
  if (!next || !definition) return rest(wakeAfterMs, situation);
  const isConfirmed = stored !== feature || pass.report !== undefined;
  const written: Written = { view, situation, feature: stored, definition, isConfirmed };
  return next.kind === 'run' ? await runNext(run, written, next.task) : await scanNext(run, written);
}

/** Writes a step. If that fails for what another writer or the task did, the next pass decides again. */
async function record(
  run: Run,
  pass: Pass & { readonly feature: Feature },
  decided: Step,
): Promise<{ readonly feature: Feature } | { readonly again: Pass }> {
  const { deps, ref, key, signal, contention, writes } = run;
  let written: Feature | undefined;
  try {
    written = await recordStep(deps, pass.feature, decided, signal);
  } catch (error) {
    const report = pass.report && reportRejection(pass.report, error);
    if (report) return { again: { ...pass, report } };
    if (!signal.aborted) writes.failed(key, deps.random());
    throw error;
  }
  // Another writer was first: decide about what is stored now, with the results there are.
  if (!written) return { again: { ...pass, feature: await deps.kube.resource(Feature).find(ref, signal) } };
  if (written !== pass.feature) {
    contention.wrote(pass.feature, written);
    if (deps.trace) for (const span of finishedSpans(pass.feature, written)) deps.trace(span);
    writes.succeeded(key);
  }
  return { feature: written };
}

/** Waits for an event, or at most until the step wakes up, or the author of the definition may have got a right. */
function rest(wakeAfterMs: number | undefined, { definition }: Situation): PassEnd {
  const requeueAfterMs = earliest([wakeAfterMs, definition?.refusal ? permissionMs : undefined]);
  return { result: requeueAfterMs === undefined ? undefined : { requeueAfterMs } };
}

async function scanNext(run: Run, written: Written): Promise<PassEnd> {
  const { deps, key, signal, scans, customKinds } = run;
  const { feature, definition } = written;
  const blocker = await blockerOf(run, written, rightsOfScan(definition.spec, feature));
  if (blocker) return { again: { feature, scan: notScanned(blocker.message, deps.kube.clock.now()) } };
  const waitMs = scans.waitMs(key);
  if (waitMs > 0) return requeueAfter(waitMs);
  try {
    const scan = await scanFeature(deps.kube, feature, definition.spec, { customKinds, signal });
    scans.succeeded(key);
    return { again: { feature, scan } };
  } catch (error) {
    if (!signal.aborted) scans.failed(key, deps.random());
    throw error;
  }
}

async function runNext(run: Run, written: Written, task: TaskStatus): Promise<PassEnd> {
  const { deps, signal, log } = run;
  const { kube, tasks, home } = deps;
  const { view, situation, feature, definition, isConfirmed } = written;
  const isHarmless = tasks.get(task.kind)?.readOnly ?? false;
  if (!isConfirmed && !isHarmless && !(await isStored(kube, feature, signal))) return requeueAfter(50);
  try {
    const again = await runTask({
      kube,
      tasks,
      home,
      log,
      signal,
      feature,
      definition: definition.spec,
      task,
      consent: task.destructive && situation.cleanup === 'Manual' ? feature.spec.consent : undefined,
      isCurrent: () => view.isCurrent(),
      uses: () => view.countIn(feature) ?? situation.uses,
      rollCalls: () => view.rollCallsIn(feature),
      neighbours: () => view.neighbours(),
      blocker: () => blockerOf(run, written, rightsOfStep(task, definition.spec, feature)),
    });
    return { again };
  } catch (error) {
    if (!(error instanceof SupersededError)) throw error;
    log.info('stopped a task because the Feature or its definition changed', { task: task.name });
    return requeueAfter(1);
  }
}

/** Deletes the Feature at the version that was decided upon, and its definition if an older server installed it. */
async function retire({ deps, events, signal }: Run, feature: Feature): Promise<PassEnd> {
  const { kube, definitions } = deps;
  const { name = '', namespace, uid = '', resourceVersion = '' } = feature.metadata;
  const message = `${feature.spec.gate} is unknown since ${feature.status?.unknownSince}, and nothing of it is left`;
  events.event(feature, 'Normal', 'FeatureRetired', message);
  const definition = definitions.get({ name, namespace });
  await retireFeature(kube, { name, namespace }, definition, { uid, resourceVersion }, signal);
  return { result: undefined };
}

function blockerOf({ deps, signal }: Run, { definition, feature }: Written, rights: readonly Right[]) {
  return deps.authors.blocker(rights, { definition, feature }, signal);
}

/** Whether the API server still has this version of the Feature: a cache may be older than what was done already. */
async function isStored(kube: Kube, { metadata }: Feature, signal: AbortSignal): Promise<boolean> {
  const { name = '', namespace } = metadata;
  const stored = await kube.resource(Feature).find({ name, namespace }, signal);
  return stored?.metadata.resourceVersion === metadata.resourceVersion;
}

function requeueAfter(ms: number): PassEnd {
  return { result: { requeueAfterMs: ms } };
}
