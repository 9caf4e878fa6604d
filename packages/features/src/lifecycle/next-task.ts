import type { FeatureStatus, TaskStatus } from '../api/feature.js';
import { waiverText } from '../uses/waivers.js';
import { shortened } from './apply-outcome.js';
import { consentProblem, withdrawConsent } from './consent.js';
import { type Effect, normal, warning } from './effect.js';
import type { Decided, Situation } from './situation.js';
import { publishing, steers } from './steering.js';
import type { TaskOutcome } from './task-outcome.js';
import { at, complete, settle, withHead } from './transition.js';

/**
 * What comes next in a transition: skips what nobody wants run, finishes when
 * nothing is left, otherwise runs the head task or says what holds it. The state
 * becomes final in the same step that completes the last task.
 */
export function nextTask(
  status: FeatureStatus,
  situation: Situation,
  outcome: TaskOutcome | undefined,
  effects: Effect[],
): Decided {
  const { nowMs, spec, cleanup } = situation;
  const { transition } = status;
  if (!transition) return [status];
  const head = transition.tasks[0];
  if (!head) {
    effects.push(normal('TransitionCompleted', `${spec.gate} is ${transition.to}`));
    return [publishSettled(settle(status, nowMs), situation)];
  }
  if (head.destructive && cleanup === 'Never') {
    return nextTask(complete(status, { result: 'Skipped' }, nowMs), situation, undefined, effects);
  }
  if (spec.paused) return [status, { reason: 'Paused', message: 'spec.paused is set' }];
  const waiver = head.phase === 'Blocked' ? situation.waivers.find(({ task }) => task === head.name) : undefined;
  if (waiver) {
    const note = waiverText(waiver);
    effects.push(warning('WaiverUsed', `${head.name} was waived: ${note}`));
    return nextTask(complete(status, { result: 'Waived', note }, nowMs), situation, undefined, effects);
  }
  if (head.destructive && cleanup === 'Manual') {
    const isUnderWay = head.phase === 'Waiting' && head.reason !== 'Retrying';
    const revision = situation.definition?.revision ?? '';
    const question = { plan: transition.plan, revision, nowMs, isUnderWay };
    const problem = consentProblem(spec.consent, status, question);
    if (problem !== undefined) {
      return unapproved(withdrawConsent(status, spec.consent, problem), head, problem, spec.gate, effects);
    }
  }

  const justLooked = outcome?.kind === 'waiting' || outcome?.kind === 'blocked';
  const waitMs = head.retryTime === undefined ? 0 : Date.parse(head.retryTime) - nowMs;
  const isRetried = spec.retry !== undefined && spec.retry !== head.retry;
  if (waitMs > 0) effects.push({ kind: 'wakeAfter', ms: waitMs });
  if ((waitMs > 0 || justLooked) && !isRetried) return [status];

  const isStart = head.phase === 'Pending' || head.reason === 'NeedsApproval';
  const started = {
    ...(isStart ? startOf(head, nowMs) : head),
    ...(spec.retry !== undefined && { retry: spec.retry }),
  };
  effects.push({ kind: 'run', task: started });
  return [withHead(status, started)];
}

/** Processes that follow must find the value of a settled feature, whoever settled it. */
export function publishSettled(status: FeatureStatus, situation: Situation): FeatureStatus {
  const { spec, settable } = situation;
  if (!steers(spec, settable) || (status.state !== 'On' && status.state !== 'Off')) return status;
  const value = status.state === 'On';
  const published = publishing(value, status.transitions ?? 0, situation);
  const { value: told, authority, rules } = status.published ?? {};
  const isTold = told === value && authority === published.authority && !rules;
  return isTold ? status : { ...status, published };
}

function unapproved(
  status: FeatureStatus,
  head: TaskStatus,
  problem: string,
  gate: string,
  effects: Effect[],
): Decided {
  const fix = `slipway feature approve ${gate}`;
  const message = shortened(`${head.name} changes objects of users, and ${problem}; to agree: ${fix}`);
  if (head.reason !== 'NeedsApproval') effects.push(warning('TaskBlocked', message));
  const { retryTime: _none, ...rest } = head;
  const held: TaskStatus = { ...rest, phase: 'Blocked', reason: 'NeedsApproval', message };
  return [withHead(status, held), { reason: 'NeedsApproval', message }];
}

function startOf({ reason: _reason, message: _message, ...head }: TaskStatus, nowMs: number): TaskStatus {
  return { ...head, phase: 'Running', firstAttempt: head.firstAttempt ?? at(nowMs) };
}
