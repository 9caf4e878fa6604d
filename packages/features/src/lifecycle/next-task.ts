import type { FeatureStatus, TaskStatus } from '../api/feature.js';
import { shortened } from './apply-outcome.js';
import { consentProblem, withdrawConsent } from './consent.js';
import { andThen, type Decision, normal, warning } from './decision.js';
import type { Situation } from './situation.js';
import { publishing, steers } from './steering.js';
import type { TaskOutcome } from './task-outcome.js';
import { at, complete, settle, withHead } from './transition.js';
import { waiverText } from './waived-uses.js';

/**
 * Decides what comes next in a transition: skips tasks that must not run, finishes when
 * none is left, otherwise runs the head task or reports what blocks it. The state
 * becomes final in the same step that completes the last task.
 */
export function nextTask(status: FeatureStatus, situation: Situation, outcome: TaskOutcome | undefined): Decision {
  const { nowMs, spec, cleanup } = situation;
  const { transition } = status;
  if (!transition) return { status };
  const head = transition.tasks[0];
  if (!head) {
    const events = [normal('TransitionCompleted', `${spec.gate} is ${transition.to}`)];
    return { status: publishSettled(settle(status, nowMs), situation), events };
  }
  if (head.destructive && cleanup === 'Never') {
    return nextTask(complete(status, { result: 'Skipped' }, nowMs), situation, undefined);
  }
  if (spec.paused) return { status, blocker: { reason: 'Paused', message: 'spec.paused is set' } };
  const waiver = head.phase === 'Blocked' ? situation.waivers.find(({ task }) => task === head.name) : undefined;
  if (waiver) {
    const note = waiverText(waiver);
    const events = [warning('WaiverUsed', `${head.name} was waived: ${note}`)];
    const waived = { status: complete(status, { result: 'Waived', note }, nowMs), events };
    return andThen(waived, (rest) => nextTask(rest, situation, undefined));
  }
  if (head.destructive && cleanup === 'Manual') {
    const isUnderWay = head.phase === 'Waiting' && head.reason !== 'Retrying';
    const revision = situation.definition?.revision ?? '';
    const question = { plan: transition.plan, revision, nowMs, isUnderWay };
    const problem = consentProblem(spec.consent, status, question);
    if (problem !== undefined) {
      return awaitApproval(withdrawConsent(status, spec.consent, problem), head, problem, spec.gate);
    }
  }

  const hasJustRun = outcome?.kind === 'waiting' || outcome?.kind === 'blocked';
  const waitMs = head.retryTime === undefined ? 0 : Date.parse(head.retryTime) - nowMs;
  const isRetried = spec.retry !== undefined && spec.retry !== head.retry;
  if ((waitMs > 0 || hasJustRun) && !isRetried) return { status, ...(waitMs > 0 && { wakeAfterMs: waitMs }) };

  const isStart = head.phase === 'Pending' || head.reason === 'NeedsApproval';
  const started = {
    ...(isStart ? startOf(head, nowMs) : head),
    ...(spec.retry !== undefined && { retry: spec.retry }),
  };
  return { status: withHead(status, started), next: { kind: 'run', task: started } };
}

/** Publishes the value of a settled feature to the processes that take it from the API. */
export function publishSettled(status: FeatureStatus, situation: Situation): FeatureStatus {
  const { spec, settable } = situation;
  if (!steers(spec, settable) || (status.state !== 'On' && status.state !== 'Off')) return status;
  const value = status.state === 'On';
  const published = publishing(value, status.transitions ?? 0, situation);
  const { value: told, authority, rules } = status.published ?? {};
  const isTold = told === value && authority === published.authority && !rules;
  return isTold ? status : { ...status, published };
}

function awaitApproval(status: FeatureStatus, head: TaskStatus, problem: string, gate: string): Decision {
  const fix = `slipway feature approve ${gate}`;
  const message = shortened(`${head.name} changes objects of users, and ${problem}; to agree: ${fix}`);
  const events = head.reason === 'NeedsApproval' ? [] : [warning('TaskBlocked', message)];
  const { retryTime: _none, ...rest } = head;
  const held: TaskStatus = { ...rest, phase: 'Blocked', reason: 'NeedsApproval', message };
  return { status: withHead(status, held), blocker: { reason: 'NeedsApproval', message }, events };
}

function startOf({ reason: _reason, message: _message, ...head }: TaskStatus, nowMs: number): TaskStatus {
  return { ...head, phase: 'Running', firstAttempt: head.firstAttempt ?? at(nowMs) };
}
