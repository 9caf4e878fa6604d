import type { Probe } from '@slipway/kube-objects/kinds/api/pods';
import type { ProbeTurn } from './probe-script.js';

/** A change of a probe's result, after enough equal results in a row. */
export interface ProbeResult {
  readonly atMs: number;
  readonly succeeds: boolean;
}

/**
 * Returns the results of a probe, in milliseconds after the start of its container: after each turn of the script
 * as soon as enough probes in a row agreed. The first comes whatever it is, later ones only where they differ.
 *
 * @param fromMs when probing may begin
 */
export function probeResults(script: readonly ProbeTurn[], timing: Probe, fromMs: number): readonly ProbeResult[] {
  const found: ProbeResult[] = [];
  const seen = turnsSeen(script, timing, fromMs);
  for (const [index, { succeeds }] of seen.entries()) {
    const probes = probesIn(seen, index, timing, fromMs);
    const needed = (succeeds ? timing.successThreshold : timing.failureThreshold) ?? (succeeds ? 1 : 3);
    const atMs = probes.firstMs + (needed - 1) * periodMs(timing);
    if (atMs >= probes.untilMs || found.at(-1)?.succeeds === succeeds) continue;
    found.push({ atMs, succeeds });
  }
  return found;
}

/** Each probe that fails after `afterMs` and not later than `untilMs`. */
export function* failuresOf(
  script: readonly ProbeTurn[],
  timing: Probe,
  fromMs: number,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
): Generator<number> {
  for (const [index, { succeeds }] of script.entries()) {
    if (succeeds) continue;
    const probes = probesIn(script, index, timing, fromMs);
    const skipped = Math.max(0, Math.floor((afterMs - probes.firstMs) / periodMs(timing)) + 1);
    let atMs = probes.firstMs + skipped * periodMs(timing);
    for (; atMs < probes.untilMs && atMs <= untilMs; atMs += periodMs(timing)) yield atMs;
  }
}

/** The script as its probes see it: a turn that begins and ends between two of them is as if it had not been. */
function turnsSeen(script: readonly ProbeTurn[], timing: Probe, fromMs: number): readonly ProbeTurn[] {
  const probed = script.filter((_, index) => {
    const { firstMs, untilMs } = probesIn(script, index, timing, fromMs);
    return firstMs < untilMs;
  });
  return probed.filter(({ succeeds }, index) => succeeds !== probed[index - 1]?.succeeds);
}

/** The first probe of one turn, and when the turn is over. */
function probesIn(script: readonly ProbeTurn[], index: number, timing: Probe, fromMs: number) {
  const beginsMs = Math.max(fromMs, (timing.initialDelaySeconds ?? 0) * 1000);
  const turnMs = script[index]?.fromMs ?? 0;
  const before = Math.max(0, Math.ceil((turnMs - beginsMs) / periodMs(timing)));
  return {
    firstMs: beginsMs + before * periodMs(timing),
    untilMs: script[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY,
  };
}

function periodMs({ periodSeconds = 10 }: Probe): number {
  return periodSeconds * 1000;
}
