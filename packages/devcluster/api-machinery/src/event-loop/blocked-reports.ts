/** What is known after one more look at the event loop. */
export interface Watch {
  readonly beats: number;
  /** Looks in a row at which the loop had not run since. */
  readonly missed: number;
  /** Looks after which the next report is due. */
  readonly nextReport: number;
}

export type Finding = { readonly kind: 'blocked' | 'running'; readonly looks: number };

/** A second, looking every 250 ms. */
const firstReport = 4;

export const newWatch: Watch = { beats: -1, missed: 0, nextReport: firstReport };

/**
 * Takes one look, and decides whether it is reported: a loop that is blocked after 1 s, 10 s, 100 s and so on, and one
 * that runs again after it was reported. Looks are counted rather than time, which also passes while a machine sleeps.
 */
export function look(watch: Watch, beats: number): { readonly watch: Watch; readonly finding?: Finding } {
  if (beats !== watch.beats) {
    const next = { beats, missed: 0, nextReport: firstReport };
    return watch.nextReport > firstReport
      ? { watch: next, finding: { kind: 'running', looks: watch.missed } }
      : { watch: next };
  }
  const missed = watch.missed + 1;
  if (missed < watch.nextReport) return { watch: { ...watch, missed } };
  return { watch: { beats, missed, nextReport: missed * 10 }, finding: { kind: 'blocked', looks: missed } };
}
