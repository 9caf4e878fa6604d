import type { Outcome } from '../slipway.js';

/** One of two clusters that are asked for the same. */
export interface Side {
  /** As the administrator. */
  kubectl(words: readonly string[], stdin?: object): Promise<Outcome>;
}
