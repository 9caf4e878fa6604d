import type { Amounts, ResourceName } from '../planner/amounts.js';

/**
 * Gives a machine hardware and takes it back. What it is and where it lives is the
 * business of the controller's own configuration; objects of the API carry its name only.
 *
 * Every call may be repeated: the same operation asked for again is the same operation.
 * None of them throws for what a machine or its keeper does; that is an answer.
 */
export interface Actuator {
  readonly name: string;
  /** Which resources it moves; the others are as large as the machine. */
  readonly resources: readonly ResourceName[];
  /** Brings a machine from one size to another, or goes on with it, and says how far it is. */
  ensure(operation: Operation, signal: AbortSignal): Promise<ActuatorAnswer>;
  /** What the machine has now. */
  observe(machine: Machine, signal: AbortSignal): Promise<ActuatorAnswer>;
}

export interface Machine {
  /** Name of the node. */
  readonly node: string;
  /** `spec.providerID` of the node. */
  readonly providerID?: string | undefined;
}

export interface Operation extends Machine {
  /** The same for every call about one change. */
  readonly operationID: string;
  readonly from: Amounts;
  readonly to: Amounts;
}

/**
 * `Done`: the machine has what was asked for. `InProgress`: ask again. `Failed`: it stays
 * as `granted` says. `Unknown`: nothing can be said; until something can, the machine
 * counts as the smaller of both sizes.
 */
export interface ActuatorAnswer {
  readonly state: 'Done' | 'InProgress' | 'Failed' | 'Unknown';
  /** What exists now, where that is known. */
  readonly granted?: Partial<Amounts> | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly message?: string | undefined;
}

/** An answer that claims nothing. */
export function unknown(message: string): ActuatorAnswer {
  return { state: 'Unknown', message };
}
