import { isDeepStrictEqual } from 'node:util';
import type { CanaryRule } from '@slipway/feature-gates';
import { errorMessage } from '@slipway/kube';
import type { Canary, CanaryStep } from '../api/canary.js';
import { durationMs } from '../api/duration.js';
import { blocksAfter } from '../lifecycle/failure.js';
import type { TaskOutcome } from '../lifecycle/task-outcome.js';
import { at } from '../lifecycle/transition.js';
import type { Task } from '../tasks/task.js';
import type { TaskContext } from '../tasks/task-context.js';
import { notConfigured } from '../tasks/webhook.js';
import type { Measure } from './analysis.js';
import { labelledMembers, selectorText } from './labelled-members.js';
import { type Reach, reachOf } from './reach.js';

/** Arguments as the plan has them: a step of `spec.canary`, counted from 0. */
type CanaryArgs = CanaryStep & { readonly step: number };

const lookMs = 2_000;
const measureMs = 10_000;

/**
 * One step of a canary: publishes the value to the processes of this step and the
 * earlier ones, waits until all of them run it, and looks on for a while. A measurement
 * above its limit takes everything back. While a measurement is not to be had, nothing goes on.
 */
export function canaryTask(measures: Readonly<Record<string, Measure>>): Task {
  return {
    kind: 'Canary',
    readOnly: true,
    async run(context): Promise<TaskOutcome> {
      const { feature, transition, task } = context;
      const { step, analysis } = task.args as unknown as CanaryArgs;
      const { published } = feature.status ?? {};
      const value = transition.to === 'On';
      // On the way back from a transition that was given up, everybody outside its canary has the value already.
      if (published?.value === value) return { kind: 'done', result: 'Skipped' };
      if (analysis && !Object.hasOwn(measures, analysis.name)) {
        return notConfigured('analysis', analysis.name, Object.keys(measures));
      }
      const rules = rulesUpTo(feature.spec.canary, step, value);
      if (published?.epoch !== transition.seq || !isDeepStrictEqual(published.rules, rules)) {
        const message = `${nameOf(context)}: publishing ${value}`;
        return { kind: 'waiting', reason: 'Publishing', message, rules, eager: true, retryAfterMs: 200 };
      }
      const reach = await reached(context, rules, value);
      return reach.missing.length > 0 ? notYet(context, reach) : watched(context, reach, measures);
    },
  };
}

/** The processes of all steps up to one, so that no process that has the value loses it on the way. */
export function rulesUpTo(canary: Canary | undefined, step: number, value: boolean): readonly CanaryRule[] {
  return (canary?.steps ?? []).slice(0, step + 1).map(({ percent, selector }) => ({
    value,
    ...(percent !== undefined && { percent }),
    ...(selector && { selector }),
  }));
}

async function reached(
  { kube, feature, definition, rollCalls, signal }: TaskContext,
  rules: readonly CanaryRule[],
  value: boolean,
): Promise<Reach> {
  const { namespace = '' } = feature.metadata;
  const labelled = await labelledMembers(kube, definition, namespace, rules, signal);
  return reachOf(rollCalls(), { gate: feature.spec.gate, value, rules, labelled });
}

function notYet(context: TaskContext, { covered, running, missing }: Reach): TaskOutcome {
  const message = `${nameOf(context)}: ${covered - running} of ${covered} processes not yet: ${missing.join(', ')}`;
  const progress = { done: running, total: covered, unit: 'processes' };
  return { kind: 'waiting', reason: 'OldValueInUse', message, progress, eager: true, retryAfterMs: lookMs };
}

/** All run the value: measures, and looks on until the time is over. It counts from when they first did. */
async function watched(
  context: TaskContext,
  { covered }: Reach,
  measures: Readonly<Record<string, Measure>>,
): Promise<TaskOutcome> {
  const { task, clock } = context;
  const { bake } = task.args as unknown as CanaryArgs;
  const harm = await measured(context, measures);
  if (harm) return harm;
  const bakeMs = durationMs(bake, 0);
  const since = task.checkpoint ?? at(clock.now());
  const passedMs = clock.now() - Date.parse(since);
  if (passedMs >= bakeMs) return { kind: 'done', objects: covered };
  const message = `${nameOf(context)}: ${covered} processes run it, watched since ${since} for ${bake}`;
  const progress = { done: Math.floor(passedMs / 1000), total: Math.ceil(bakeMs / 1000), unit: 'seconds' };
  const retryAfterMs = Math.min(measureMs, bakeMs - passedMs);
  return { kind: 'waiting', reason: 'Baking', message, progress, checkpoint: since, retryAfterMs };
}

/** The outcome when a measurement is too high or cannot be had. */
async function measured(
  context: TaskContext,
  measures: Readonly<Record<string, Measure>>,
): Promise<TaskOutcome | undefined> {
  const { feature, transition, task, signal } = context;
  const { step, analysis } = task.args as unknown as CanaryArgs;
  const measure = analysis && measures[analysis.name];
  if (!measure) return undefined;
  const about = {
    feature: feature.spec.gate,
    namespace: feature.metadata.namespace ?? '',
    transition: transition.id,
    step,
    to: transition.to,
  };
  try {
    const found = await measure(about, signal);
    if (found <= analysis.failAbove) return undefined;
    return {
      kind: 'rollback',
      message: `${nameOf(context)}: ${analysis.name} is ${found}, above ${analysis.failAbove}`,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const why = errorMessage(error);
    return {
      kind: 'failed',
      message: `${nameOf(context)}: ${analysis.name} cannot be measured: ${why}`,
      blocksAfter: blocksAfter.away,
    };
  }
}

/** `step 1 of 3, 5 %`. */
function nameOf({ feature, task }: TaskContext): string {
  const { step, percent, selector } = task.args as unknown as CanaryArgs;
  const which = percent === undefined ? selectorText({ selector }) : `${percent} %`;
  return `step ${step + 1} of ${feature.spec.canary?.steps.length ?? 1}, ${which}`;
}
