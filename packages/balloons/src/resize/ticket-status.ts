import { isConditionTrue, timestamp } from '@slipway/kube';
import type { Actuator, ActuatorAnswer } from '../actuators/actuator.js';
import type { FinishedResize, NodeSizeStatus, Ticket, TicketPhase } from '../api/node-size.js';
import { type Amounts, type AmountsText, formatAmounts, formatCpu, formatMemory } from '../planner/amounts.js';
import type { Ending, ResizeWork } from '../ticket/resize-work.js';
import { withCondition } from './conditions.js';

/** Adds the ticket of a resize, which is stored before the resize has any effect. */
export function withTicket(status: NodeSizeStatus, work: ResizeWork, nowMs: number): NodeSizeStatus {
  const ticket: Ticket = {
    id: work.id,
    direction: work.direction,
    phase: phaseOf(work),
    from: formatAmounts(work.from),
    to: formatAmounts(work.to),
    podUID: work.podUID,
    startedAt: timestamp(nowMs),
    deadline: timestamp(nowMs + work.deadlineMs - work.startedMs),
    generation: work.generation,
    fenced: work.fenced,
  };
  const resizing = withCondition(status.conditions, nowMs, 'Resizing', true, {
    reason: work.direction,
    message: `the balloon goes from ${amountsText(work.from)} to ${amountsText(work.to)}`,
  });
  if (!work.fenced) return { ...status, resize: ticket, conditions: resizing };
  const conditions = withCondition(resizing, nowMs, 'Fenced', true, {
    reason: 'Resizing',
    message: 'new pods are kept away',
  });
  return { ...status, resize: ticket, conditions };
}

/** Changes the target in the ticket of a resize that stops earlier than planned. */
export function withTarget(status: NodeSizeStatus, { to }: ResizeWork): NodeSizeStatus {
  return status.resize ? { ...status, resize: { ...status.resize, to: formatAmounts(to) } } : status;
}

function phaseOf({ phase }: ResizeWork): TicketPhase {
  if (phase.kind === 'growing') return 'GrowingHardware';
  if (phase.kind === 'shrinking') return 'ShrinkingHardware';
  return phase.kind === 'settling' ? 'Fencing' : 'Resizing';
}

/** Replaces the ticket by the result of the resize. */
export function withEnding(status: NodeSizeStatus, ended: FinishedResize, nowMs: number): NodeSizeStatus {
  const { resize: _closed, ...rest } = status;
  const ending = withCondition(status.conditions, nowMs, 'Resizing', false, {
    reason: ended.result,
    message: ended.message,
  });
  const conditions = isConditionTrue(ending, 'Fenced')
    ? withCondition(ending, nowMs, 'Fenced', false, { reason: 'Resized', message: 'new pods may come' })
    : ending;
  return { ...rest, conditions, lastResize: ended, history: [ended, ...(status.history ?? [])].slice(0, 10) };
}

/** Returns the entry in the history of a resize that ended; the duration is in milliseconds. */
export function finished(
  work: Pick<ResizeWork, 'id' | 'direction' | 'from' | 'to'>,
  ending: Ending,
  nowMs: number,
  durationMs: number,
): FinishedResize {
  return {
    id: work.id,
    direction: work.direction,
    from: formatAmounts(work.from),
    to: formatAmounts(work.to),
    ...ending,
    message: ending.message.slice(0, 512),
    finishedAt: timestamp(nowMs),
    durationMs: Math.round(durationMs),
  };
}

/** Adds the last answer of the actuator. */
export function withActuator(
  status: NodeSizeStatus,
  name: Actuator['name'],
  work: ResizeWork,
  { state, granted, message }: ActuatorAnswer,
  nowMs: number,
): NodeSizeStatus {
  const moving = phaseOf(work) === 'GrowingHardware' ? 'Growing' : 'Shrinking';
  const phase = ({ Done: 'InSync', InProgress: moving, Failed: 'Error', Unknown: 'Unknown' } as const)[state];
  const actuator = {
    name,
    phase,
    operationID: work.id,
    ...(granted && { granted: grantedText(granted) }),
    ...(message && { message }),
  };
  const { resize } = status;
  const conditions = withCondition(status.conditions, nowMs, 'ActuatorInSync', state === 'Done', {
    reason: phase,
    message: message ?? (state === 'Done' ? 'the machine has its desired size' : 'the machine is being resized'),
  });
  return { ...status, actuator, conditions, ...(resize && { resize: { ...resize, phase: phaseOf(work) } }) };
}

function grantedText({ cpu, memory }: Partial<Amounts>): AmountsText {
  return {
    ...(cpu !== undefined && { cpu: formatCpu(cpu) }),
    ...(memory !== undefined && { memory: formatMemory(memory) }),
  };
}

/** `3750m cpu and 15Gi memory` */
function amountsText(amounts: Amounts): string {
  const { cpu, memory } = formatAmounts(amounts);
  return `${cpu} cpu and ${memory} memory`;
}
