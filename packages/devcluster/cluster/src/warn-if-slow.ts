import type { Clock, Logger } from '@slipway/kube';

/** A healthy cluster starts within seconds. */
const patienceMs = 30_000;

export interface StartingParts {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  /** Names of the components that have not started yet. */
  readonly missing: () => readonly string[];
}

/** Warns once about missing components when a start takes long, and keeps waiting for it. */
export async function warnIfSlow<T>(starting: Promise<T>, { clock, log, missing }: StartingParts): Promise<T> {
  const timer = clock.after(patienceMs, () => {
    const names = missing();
    const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');
    log.warn(`the cluster is not complete after ${patienceMs / 1000} s; missing: ${shown}`);
  });
  try {
    return await starting;
  } finally {
    timer.cancel();
  }
}
