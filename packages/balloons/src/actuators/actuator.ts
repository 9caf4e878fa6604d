import type { Amounts, ResourceName } from '../planner/amounts.js';

/**
 * Grows and shrinks a machine. The configuration of the controller says what an actuator is and where it runs; objects
 * of the API carry only its name.
 *
 * Every call may be repeated: calls with the same operation ID are one operation. A failure of the machine is an
 * answer, never an error.
 */
export interface Actuator {
  readonly name: string;
  /** The resources it resizes; the others are as large as the machine. */
  readonly resources: readonly ResourceName[];
  /** Starts or continues an operation and returns its state. */
  ensure(operation: Operation, signal: AbortSignal): Promise<ActuatorAnswer>;
  /** Returns what the machine has now. */
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
 * `Done`: the machine has the requested size. `InProgress`: call again. `Failed`: it keeps the size in `granted`.
 * `Unknown`: until its size is known, the machine counts as the smaller of both sizes.
 */
export interface ActuatorAnswer {
  readonly state: 'Done' | 'InProgress' | 'Failed' | 'Unknown';
  /** The size of the machine now, where it is known. */
  readonly granted?: Partial<Amounts> | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly message?: string | undefined;
}

/** Returns the answer for a machine whose size is not known. */
export function unknown(message: string): ActuatorAnswer {
  return { state: 'Unknown', message };
}
