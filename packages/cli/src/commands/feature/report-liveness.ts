import { Feature, readServerLiveness, type ServerLiveness, serverProblem, serverRemedy } from '@slipway/features';
import { type Kube, sleep } from '@slipway/kube';
import type { Invocation } from '../../runtime/command.js';

type Reporting = Pick<Invocation, 'terminal' | 'signal'>;

/**
 * Says on stderr when no feature server acts on Features, so that what a command prints is out of date and what it
 * asks for is not done. `features` are those that the command has read.
 */
export async function reportLiveness(kube: Kube, features: readonly Feature[], reporting: Reporting): Promise<void> {
  report(await livenessOf(kube, features, reporting.signal), reporting);
}

/** As `readServerLiveness`; a cluster that does not serve Features needs no server for them. */
export async function livenessOf(
  kube: Kube,
  features: readonly Feature[],
  signal: AbortSignal,
): Promise<ServerLiveness> {
  const liveness = await readServerLiveness(kube, features, signal);
  if (liveness.kind !== 'absent' || features.length > 0) return liveness;
  const { resources } = await kube.discover(signal);
  return resources.some(({ group }) => group === Feature.group) ? liveness : { kind: 'unknown' };
}

const watchEveryMs = 10_000;

/** Reports as `reportLiveness` does, later on and each time that it changes, until `signal` aborts. Never throws. */
export async function watchLiveness(
  kube: Kube,
  features: () => readonly Feature[],
  reporting: Reporting,
): Promise<void> {
  const { signal } = reporting;
  let known: ServerLiveness['kind'] = 'alive';
  for (;;) {
    await sleep(kube.clock, watchEveryMs, signal).catch(() => {});
    if (signal.aborted) return;
    const liveness = await livenessOf(kube, features(), signal).catch(() => undefined);
    if (liveness && liveness.kind !== known) report(liveness, reporting);
    known = liveness?.kind ?? known;
  }
}

function report(liveness: ServerLiveness, { terminal }: Reporting): void {
  const problem = serverProblem(liveness);
  if (problem !== undefined) terminal.err(`slipway: ${problem}\nTo fix: ${serverRemedy}\n`);
}
