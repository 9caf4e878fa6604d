import type { Step, StepKind } from '../scenario.js';

/** What came of a step; which parts there are depends on its kind. */
export interface Answer {
  /** Of kubectl. */
  readonly exit?: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly requests?: number;
  /** Of a request that was sent as it is. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of what is done with objects. */
  readonly object?: unknown;
  readonly refused?: { readonly reason: string; readonly message: string };
  /** Of a watch. */
  readonly events?: readonly { readonly type: string; readonly object: unknown }[];
}

/** A program or library that scenarios are played with. */
export interface Runner {
  /** As the report names it: `kubectl 1.33`. */
  readonly name: string;
  can(kind: StepKind, step: Step): boolean;
  /** Does a step whose texts are filled in. A refusal by the server is an answer; throws when none came. */
  run(step: Step, namespace: string): Promise<Answer>;
}
