import type { Runnable } from '@slipway/kube';
import type { Invocation } from '../../runtime/command.js';
import { exit, Interrupted } from '../../runtime/exit.js';
import type { ListenAddress } from './listen-address.js';
import { serveHealth } from './serve-health.js';

/** A process that runs until it is told to stop. */
export interface RunningProcess {
  readonly parts: readonly Runnable[];
  /** Where it serves /healthz, /readyz and /metrics; nowhere when absent. */
  readonly listen?: ListenAddress | undefined;
  /** What it counts, in the Prometheus text format. */
  readonly metrics: () => string;
}

/**
 * Runs the parts of a process until SIGTERM or SIGINT, and lets them finish what they are at. Says on stderr when it
 * runs. A part that fails ends the process.
 */
export async function runProcess(
  { parts, listen, metrics }: RunningProcess,
  { terminal, signal, answer }: Invocation,
): Promise<void> {
  const stop = new AbortController();
  const end = () => stop.abort(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const isReady = () => parts.every((part) => part.ready?.() ?? true);
  const server = listen && (await serveHealth(listen, { isReady, metrics }));
  try {
    // A part may last as long as its work, or return at once.
    const work = Promise.all(parts.map(async (part) => part.start(stop.signal)));
    terminal.err(`${parts.map(({ name }) => name).join(', ')} started${server ? `, health at ${server.url}` : ''}\n`);
    await Promise.race([stopped(stop.signal), work.then(() => stopped(stop.signal))]);
  } finally {
    stop.abort();
    await Promise.all(parts.map((part) => part.stop?.()));
    await server?.close();
    signal.removeEventListener('abort', end);
  }
  if (signal.reason instanceof Interrupted && signal.reason.by === 'SIGINT') answer(exit.interrupted);
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
