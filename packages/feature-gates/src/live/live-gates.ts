import type { ChangeHandler } from './hand-over.js';

/** The gates of a process that take published values, as far as following those needs them. */
export interface LiveGates {
  /** Declared live or at start, and allowed to follow. */
  readonly names: readonly string[];
  /** Whether the gate may change while the process runs. */
  isLive(gate: string): boolean;
  /** A typed value is not overruled. */
  isPinned(gate: string): boolean;
  wasRead(gate: string): boolean;
  /** What `enabled` answers. */
  valueOf(gate: string): boolean;
  /** What `enabled` would answer without a published value. */
  withoutPublished(gate: string): boolean;
  /** Why the gate cannot have this value at present. */
  refusalOf(gate: string, value: boolean): string | undefined;
  handlersOf(gate: string): readonly ChangeHandler[];
  /** Makes a published value the one in effect, or, without one, ends its effect. */
  accept(gate: string, value: boolean | undefined): void;
  /** Remembers why the published value is not in effect. */
  noteApplyError(gate: string, message: string | undefined): void;
  /** Remembers whether a published value waits for the next start. */
  notePendingRestart(gate: string, pending: boolean): void;
  /** Told whether the API can be heard at present. */
  noteStale(stale: boolean): void;
}
