/**
 * A piece of work that has ended, as one span of a trace. What it says is derived from what is stored, so that one process
 * can tell the end of what another began.
 */
export interface FinishedSpan {
  /** Names the work as a whole: spans with the same one make one trace, whichever process tells of them. */
  readonly trace: string;
  /** Names a part of the work, unlike any other part of it; absent for the whole. */
  readonly part?: string;
  /** What kind of work it was, one of few: `slipway.feature.transition`. */
  readonly name: string;
  /** Unix time, in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Why it did not succeed, when it did not. */
  readonly error?: string;
}

/** Takes a span, and never fails: work does not depend on who follows it. */
export type SpanRecorder = (span: FinishedSpan) => void;
