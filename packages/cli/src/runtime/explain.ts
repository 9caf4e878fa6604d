import type { SignInError, StatusError } from '@slipway/kube';
import { CommandError, type ExitCode, exit } from './exit.js';

/** What a person is told of an error, and the exit code it means. An empty message says nothing. */
export interface Explanation {
  readonly code: ExitCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'EPIPE']);

/** What helps with an answer of the API server that no command explains better, by its HTTP status. */
const hints: Readonly<Record<number, string>> = {
  401: 'sign in again, or choose other credentials with --kubeconfig or --context; kubectl auth whoami shows whose they are',
  403: 'ask an administrator for the right that is named; kubectl auth whoami shows who asked',
};

/** Turns any thrown value into one line, a hint and an exit code. */
export function explain(error: unknown, signal?: AbortSignal): Explanation {
  if (signal?.aborted && (error === signal.reason || isAbort(error))) return { code: exit.interrupted, message: '' };
  if (error instanceof CommandError) return { code: error.code, message: error.message, hint: error.hint };
  if (isNamed<StatusError>(error, 'StatusError')) {
    const message = `the API server answered ${error.reason}: ${error.message}`;
    return { code: exit.cluster, message, hint: hints[error.code] };
  }
  if (isNamed<SignInError>(error, 'SignInError'))
    return { code: exit.cluster, message: error.message, hint: error.hint };
  if (!(error instanceof Error)) return { code: exit.bug, message: `unexpected: ${String(error)}` };
  const systemCode = systemCodeOf(error);
  if (systemCode && unreachable.has(systemCode)) {
    return {
      code: exit.cluster,
      message: `cannot reach the cluster: ${error.message}`,
      hint: 'slipway up, or name another cluster with --kubeconfig or --context',
    };
  }
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  if ('exitCode' in error && typeof error.exitCode === 'number') {
    return { code: error.exitCode as ExitCode, message: error.message, hint };
  }
  return {
    code: exit.bug,
    message: `unexpected ${error.name}: ${oneLine(error.message)}`,
    hint: hint ?? 'run it again with --verbose and report what it prints',
  };
}

/** Tells an error of the cluster by its name: its class comes with the client, which most commands do without. */
function isNamed<T extends Error>(error: unknown, name: T['name']): error is T {
  return error instanceof Error && error.name === name;
}

function systemCodeOf(error: Error): string | undefined {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? systemCodeOf(error.cause) : undefined;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function oneLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
