import { basename } from 'node:path';
import { type EndSignal, exit, Interrupted } from './exit.js';

/**
 * Whether this process was started to outlive its terminal: by `nohup`, or by a shell that ignores SIGHUP. Node ends on
 * SIGHUP even then, so the launcher of a clone passes on what it was started with; a shell passes on what it was asked to run.
 */
const outlivesTerminal = process.env.SLIPWAY_IGNORE_HANGUP === 'yes' || basename(process.env._ ?? '') === 'nohup';
delete process.env.SLIPWAY_IGNORE_HANGUP;

/** Aborts `stop` on the first signal to end; the second one ends the process at once. */
export function abortOnEndSignals(stop: AbortController): void {
  const end = (by: EndSignal) => {
    if (stop.signal.aborted) process.exit(exit.interrupted);
    stop.abort(new Interrupted(by));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.on('SIGHUP', outlivesTerminal ? () => {} : end);
}
