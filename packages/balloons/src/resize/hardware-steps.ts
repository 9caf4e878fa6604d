import type { ActuatorAnswer } from '../actuators/actuator.js';
import { minus, sameAmounts } from '../planner/amounts.js';
import type { NextStep } from '../ticket/next-step.js';
import { done, type Ending, type ResizeWork } from '../ticket/resize-work.js';
import type { ResizeContext, ResizeDeps } from './resize-context.js';
import { within } from './time-limit.js';

/** Time limit of one call of an actuator; a call that exceeds it is repeated. */
const actuatorMs = 30_000;
const retryActuatorMs = 500;

/** Grows the machine; once that is done, the balloon may shrink. */
export async function growHardware(work: ResizeWork, context: ResizeContext, deps: ResizeDeps): Promise<NextStep> {
  const answer = await callActuator(work, context, deps);
  const next = { ...work, actuated: answer ?? work.actuated };
  return unfinished(next, answer) ?? { kind: 'check', work: { ...next, phase: { kind: 'checking', patch: 0 } } };
}

/** Shrinks the machine. The size of the node stays small whatever the actuator answers, which is safe. */
export async function shrinkHardware(work: ResizeWork, context: ResizeContext, deps: ResizeDeps): Promise<NextStep> {
  const answer = (await alreadyThere(work, context, deps)) ?? (await callActuator(work, context, deps));
  const next = { ...work, actuated: answer ?? work.actuated };
  return unfinished(next, answer) ?? { kind: 'close', work: next, ending: done(work) };
}

/** The step after an answer other than Done; undefined when the resize goes on. */
function unfinished(work: ResizeWork, answer: ActuatorAnswer | undefined): NextStep | undefined {
  if (!answer || answer.state === 'Done') return undefined;
  if (answer.state === 'InProgress') return { kind: 'wait', forMs: answer.retryAfterMs ?? retryActuatorMs, work };
  return { kind: 'close', work, ending: actuatorEnding(answer) };
}

/** After a call that failed the machine may still have been resized: what the actuator observes now counts. */
async function alreadyThere(
  { from, to }: ResizeWork,
  { actuator, node, nodeName }: ResizeContext,
  deps: ResizeDeps,
): Promise<ActuatorAnswer | undefined> {
  if (!actuator || !node || !sameAmounts(from, to)) return undefined;
  const machine = { node: nodeName, providerID: node.providerID };
  const answer = await within(limits(deps), (limited) => actuator.observe(machine, limited));
  const desired = minus(node.allocatable, to);
  const isThere = actuator.resources.every((resource) => answer.granted?.[resource] === desired[resource]);
  return answer.state === 'Done' && isThere ? answer : undefined;
}

async function callActuator(
  work: ResizeWork,
  { actuator, node, nodeName }: ResizeContext,
  deps: ResizeDeps,
): Promise<ActuatorAnswer | undefined> {
  if (!actuator || !node) return undefined;
  const operation = {
    node: nodeName,
    providerID: node.providerID,
    operationID: work.id,
    from: minus(node.allocatable, work.from),
    to: minus(node.allocatable, work.to),
  };
  return await within(limits(deps), (limited) => actuator.ensure(operation, limited));
}

function limits({ kube, signal }: ResizeDeps) {
  return { clock: kube.clock, limitMs: actuatorMs, signal };
}

function actuatorEnding({ state, message = '' }: ActuatorAnswer): Ending {
  const reason = state === 'Failed' ? 'ActuatorFailed' : 'ActuatorUnknown';
  return { result: 'ActuatorFailed', reason, message: message || 'the actuator says no more than that' };
}
