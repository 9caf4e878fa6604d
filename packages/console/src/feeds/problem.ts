import { SizeRefusedError } from '@slipway/balloons';
import { ChangeRefusedError } from '@slipway/features';
import { DaemonAwayError, DaemonRefusedError } from '@slipway/image-pulls';
import { errorMessage, SignInError, StatusError, UnreachableError } from '@slipway/kube';

/** Why something cannot be shown or done, and what a person does about it. */
export interface Problem {
  readonly kind: 'forbidden' | 'signed-out' | 'not-installed' | 'unreachable' | 'away' | 'refused' | 'failed';
  readonly message: string;
  readonly fix: string;
}

/** Turns an error of a request to the cluster into what a person is told. */
export function problemOf(error: unknown): Problem {
  const message = errorMessage(error);
  if (error instanceof SignInError) return { kind: 'signed-out', message, fix: error.hint ?? signIn };
  if (error instanceof ChangeRefusedError)
    return { kind: 'refused', message, fix: error.fix ?? 'slipway feature list -o wide' };
  if (error instanceof SizeRefusedError) return { kind: 'refused', message, fix: error.hint };
  if (error instanceof DaemonRefusedError) return { kind: 'refused', message, fix: 'slipway pulls limit --help' };
  if (error instanceof DaemonAwayError) return limiterProblem(error);
  if (error instanceof UnreachableError) {
    return { kind: 'unreachable', message, fix: 'the console tries again by itself; see whether the API server runs' };
  }
  if (!(error instanceof StatusError))
    return { kind: 'failed', message, fix: hintOf(error) ?? 'try again; if it stays, report the message' };
  if (error.code === 403)
    return { kind: 'forbidden', message, fix: 'ask an administrator for the right that is named' };
  if (error.code === 401) return { kind: 'signed-out', message, fix: signIn };
  if (error.code === 404 && error.status.details?.name === undefined) {
    return { kind: 'not-installed', message: 'this cluster does not have this kind of object', fix: 'slipway install' };
  }
  return { kind: 'refused', message, fix: 'see to what the API server says, and try again' };
}

function limiterProblem({ message, cause }: DaemonAwayError): Problem {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (code === 'EACCES' || code === 'EPERM') {
    return { kind: 'forbidden', message, fix: 'start the console as a user who may use this socket' };
  }
  return { kind: 'away', message, fix: 'slipway pulls doctor' };
}

/** Returns the remedy that an error of ours names. */
function hintOf(error: unknown): string | undefined {
  const { hint } = (error ?? {}) as { readonly hint?: unknown };
  return typeof hint === 'string' ? hint : undefined;
}

const signIn = 'renew the credentials of the kubeconfig, or start the console with another --context';
