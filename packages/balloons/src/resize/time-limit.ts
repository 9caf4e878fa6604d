import type { Clock } from '@slipway/kube';

/** Runs `work` with a signal that also aborts after `limitMs`. */
export async function within<T>(
  { clock, limitMs, signal }: { readonly clock: Clock; readonly limitMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(limitMs, () => late.abort(new TimeLimitError(`no answer in ${limitMs} ms`)));
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    timer.cancel();
  }
}

/** The time limit was exceeded; whether the request was carried out is not known. */
class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}
