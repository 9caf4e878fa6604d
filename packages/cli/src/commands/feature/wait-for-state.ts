import { Feature, type Target } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import type { CommandError } from '../../runtime/exit.js';
import { followObject } from '../../runtime/follow-object.js';
import type { Terminal } from '../../runtime/terminal.js';
import { timedOut } from '../../runtime/wait.js';
import { watchLiveness } from './report-liveness.js';

/**
 * Watches a feature until it has reached a state and the server has seen the newest spec, or the time is over.
 * Tells a person what it waits for, each time that changes.
 */
export async function waitForState(
  kube: Kube,
  feature: Feature,
  to: Target,
  options: { readonly withinMs: number; readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<{ readonly reached: boolean; readonly last: Feature }> {
  const { withinMs, signal, terminal } = options;
  const { name = '', namespace, generation = 0 } = feature.metadata;
  let last = feature;
  let told = '';
  const ending = new AbortController();
  void watchLiveness(kube, () => [last], { terminal, signal: AbortSignal.any([signal, ending.signal]) });
  try {
    const reached = await followObject(kube, Feature, { name, namespace }, { withinMs, signal }, (object) => {
      last = object;
      const { status } = object;
      const step = status?.transition?.tasks[0];
      const line = step
        ? `${status?.state}: ${step.name} ${step.message ?? step.reason ?? ''}`.trimEnd()
        : (status?.state ?? '');
      if (terminal.progress && line !== told) terminal.err(`${line}\n`);
      told = line;
      return status?.state === to && (status.observedGeneration ?? 0) >= generation;
    });
    return { reached, last };
  } finally {
    ending.abort();
  }
}

/** Reports a feature that did not get there in time, with the task that holds it up. */
export function notInTime(last: Feature, notDone: string, timeoutMs: number): CommandError {
  const { gate } = last.spec;
  const { transition, observedGeneration = 0 } = last.status ?? {};
  const head = transition?.tasks[0];
  const isObserved = observedGeneration >= (last.metadata.generation ?? 0);
  const waitsFor = head
    ? `${head.name} (${head.message ?? head.reason ?? head.phase})`
    : isObserved
      ? 'its state to change'
      : 'a feature server to take the request up';
  return timedOut(notDone, { timeoutMs, waitsFor, fix: `slipway feature get ${gate}` });
}
