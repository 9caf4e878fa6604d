import type { Answer } from './comparable.js';
import type { Step } from './scenarios.js';

/** Sends a request. `begun` is called when its answer begins, which a watch's does long before it ends. */
export type Send = (step: Step, begun?: () => void) => Promise<Answer>;

/** A step that the two servers did not answer alike. */
export interface Difference {
  readonly kind: string;
  readonly step: Step;
  /** What was answered alike before it. */
  readonly before: readonly Step[];
  readonly real: unknown;
  readonly ours: unknown;
  /** One line each. */
  readonly lines: readonly string[];
}
