import { errorMessage } from '@slipway/kube';
import { formatAmounts, parseAmounts, type ResourceName, resources } from '../planner/amounts.js';
import { type ActuatorAnswer, type Machine, type Operation, unknown } from './actuator.js';

/** The request to programs and webhooks, as JSON. Amounts are quantities: `4`, `16Gi`. */
export function asQuestion(verb: 'ensure' | 'observe', asked: Machine & Partial<Operation>): string {
  const { node, providerID, operationID, from, to } = asked;
  return JSON.stringify({
    verb,
    node,
    providerID,
    operationID,
    from: from && formatAmounts(from),
    to: to && formatAmounts(to),
  });
}

const states = ['Done', 'InProgress', 'Failed', 'Unknown'] as const;

/**
 * Reads the answer of a program or webhook:
 * `{"state": "Done", "granted": {"cpu": "4", "memory": "16Gi"}, "retryAfterSeconds": 2, "message": "..."}`.
 * An invalid answer becomes `Unknown` with the reason.
 */
export function readAnswer(text: string): ActuatorAnswer {
  let answer: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return unknown('the answer is not a JSON object');
    answer = { ...parsed };
  } catch {
    return unknown(`the answer is not JSON: ${text.slice(0, 80).trim() || 'it is empty'}`);
  }
  const state = states.find((known) => known === answer.state);
  if (!state) return unknown(`the answer has no state; it must be one of ${states.join(', ')}`);
  try {
    return {
      state,
      granted: readGranted(answer.granted),
      ...(typeof answer.retryAfterSeconds === 'number' && { retryAfterMs: answer.retryAfterSeconds * 1000 }),
      ...(typeof answer.message === 'string' && { message: answer.message.slice(0, 512) }),
    };
  } catch (error) {
    return unknown(`granted: ${errorMessage(error)}`);
  }
}

function readGranted(granted: unknown): ActuatorAnswer['granted'] {
  if (typeof granted !== 'object' || granted === null) return undefined;
  const text: Record<string, unknown> = { ...granted };
  const named = resources.filter(
    (resource) => typeof text[resource] === 'string' || typeof text[resource] === 'number',
  );
  const amounts = parseAmounts(Object.fromEntries(named.map((resource) => [resource, String(text[resource])])));
  const found: Partial<Record<ResourceName, bigint>> = {};
  for (const resource of named) found[resource] = amounts[resource];
  return found;
}
