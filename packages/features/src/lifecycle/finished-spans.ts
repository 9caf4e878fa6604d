import type { FinishedSpan } from '@slipway/kube';
import type { CompletedTask, Feature, PastTransition, Transition } from '../api/feature.js';
import { headStartedMs } from './transition.js';

/**
 * Returns what ended between two states of a Feature, as spans: a transition, and tasks of it. Each of them ends in one
 * write of the status, so that every server that compares what it wrote with what was there tells of other ones.
 */
export function finishedSpans(before: Feature, after: Feature): readonly FinishedSpan[] {
  const transition = before.status?.transition;
  if (!transition) return [];
  const ended = after.status?.history?.find(({ id }) => id === transition.id);
  const attributes = {
    'k8s.namespace.name': after.metadata.namespace ?? '',
    'slipway.feature.gate': after.spec.gate,
    'slipway.transition.id': transition.id,
    'slipway.transition.to': transition.to,
  };
  const common = { trace: `Feature ${after.metadata.uid} ${transition.id}`, attributes };
  return [...taskSpans(transition, endedTasks(transition, after, ended), common), ...wholeSpan(ended, common)];
}

type Common = Pick<FinishedSpan, 'trace' | 'attributes'>;
type EndedTask = Pick<CompletedTask, 'name' | 'kind' | 'at'> & Partial<CompletedTask>;

/** The status keeps no task of a transition that has come to its end: those that remained before ended with it. */
function endedTasks(before: Transition, after: Feature, ended: PastTransition | undefined): readonly EndedTask[] {
  const now = after.status?.transition;
  if (now?.id === before.id) return now.completed.slice(before.completed.length);
  if (ended?.result !== 'Completed' && ended?.result !== 'Waived') return [];
  return before.tasks.map(({ name, kind }) => ({ name, kind, at: ended.endedAt }));
}

function taskSpans(before: Transition, tasks: readonly EndedTask[], { trace, attributes }: Common) {
  let startMs = headStartedMs(before);
  return tasks.map(({ name, kind, at, result, objects }, index): FinishedSpan => {
    const endMs = Date.parse(at);
    const span = {
      trace,
      part: `task ${before.completed.length + index}`,
      name: 'slipway.feature.task',
      startMs: Math.min(startMs, endMs),
      endMs,
      attributes: {
        ...attributes,
        'slipway.task.name': name,
        'slipway.task.kind': kind,
        ...(result !== undefined && { 'slipway.task.result': result }),
        ...(objects !== undefined && { 'slipway.task.objects': objects }),
      },
    };
    startMs = endMs;
    return span;
  });
}

function wholeSpan(ended: PastTransition | undefined, { trace, attributes }: Common): readonly FinishedSpan[] {
  if (!ended) return [];
  const { startedAt, endedAt, cause, result } = ended;
  return [
    {
      trace,
      name: 'slipway.feature.transition',
      startMs: Date.parse(startedAt),
      endMs: Date.parse(endedAt),
      attributes: { ...attributes, 'slipway.transition.cause': cause, 'slipway.transition.result': result },
    },
  ];
}
