import { type Command, Option } from 'commander';
import { formatDuration, parseTimeout } from '../output/duration.js';
import { CommandError, exit } from './exit.js';

/** What `--wait` and `--timeout` mean on every command that changes something. */
export interface WaitOptions {
  readonly wait?: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Adds `--wait` and `--timeout`. A timeout without `--wait` waits too: it would mean nothing otherwise. */
export function withWait(command: Command): Command {
  return command
    .option('--wait', 'wait until done; exit with 3 on timeout')
    .addOption(timeoutOption('how long to wait; implies --wait').implies({ wait: true }));
}

/** `--timeout DURATION`, for commands that always wait. */
export function timeoutOption(help: string, defaultMs = 60_000): Option {
  return new Option('--timeout <duration>', `${help}, for example 30s or 5m`)
    .argParser(parseTimeout)
    .default(defaultMs, formatDuration(defaultMs));
}

/** Reports that a wait ended before its goal: what did not happen, and what it still waits for. */
export function timedOut(
  notDone: string,
  { timeoutMs, waitsFor, fix }: { readonly timeoutMs: number; readonly waitsFor: string; readonly fix: string },
): CommandError {
  return new CommandError(
    exit.unknown,
    `${notDone} after ${formatDuration(timeoutMs)}; still waiting for ${waitsFor}`,
    fix,
  );
}
