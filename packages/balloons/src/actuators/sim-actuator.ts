import type { Clock } from '@slipway/kube';
import { type Amounts, perResource, type ResourceName } from '../planner/amounts.js';
import type { Actuator, ActuatorAnswer, Operation } from './actuator.js';

/** The result of one operation of a simulated machine. */
export type SimOutcome = 'Done' | 'Partial' | 'Failed' | 'Unknown';

export interface SimActuatorOptions {
  readonly name: string;
  readonly resources: readonly ResourceName[];
  readonly clock: Clock;
  /** Duration of each operation. */
  readonly delayMs: number;
  /** Results of the first operations in order; later ones are `Done`. */
  readonly outcomes: readonly SimOutcome[];
}

interface Begun {
  readonly atMs: number;
  readonly outcome: SimOutcome;
}

/** Simulates machines with configured failures. `Partial` stops half way. */
export function simActuator({ name, resources, clock, delayMs, outcomes }: SimActuatorOptions): Actuator {
  const script = [...outcomes];
  const begun = new Map<string, Begun>();
  const granted = new Map<string, Amounts>();

  const begin = (operationID: string): Begun => {
    const fresh = { atMs: clock.monotonicMs(), outcome: script.shift() ?? 'Done' } as const;
    begun.set(operationID, fresh);
    return fresh;
  };
  const ensure = ({ node, operationID, from, to }: Operation): ActuatorAnswer => {
    const { atMs, outcome } = begun.get(operationID) ?? begin(operationID);
    const leftMs = atMs + delayMs - clock.monotonicMs();
    const now = granted.get(node) ?? from;
    if (leftMs > 0) return { state: 'InProgress', granted: now, retryAfterMs: leftMs };
    if (outcome === 'Unknown') return { state: 'Unknown', message: 'the script says so' };
    if (outcome === 'Failed') return { state: 'Failed', granted: now, message: 'the script says so' };
    const reached = outcome === 'Done' ? to : perResource((resource) => (from[resource] + to[resource]) / 2n);
    granted.set(node, reached);
    if (outcome === 'Done') return { state: 'Done', granted: reached };
    return { state: 'Failed', granted: reached, message: 'it stopped half way, as the script says' };
  };
  return {
    name,
    resources,
    ensure: async (operation) => ensure(operation),
    observe: async ({ node }) => {
      const known = granted.get(node);
      return known ? { state: 'Done', granted: known } : { state: 'Unknown', message: 'nothing was asked of it yet' };
    },
  };
}
