import type { IncomingHttpHeaders } from 'node:http2';
import { limitHeader, maxLimit, onFullHeader } from '../cri/option-headers.js';
import { type OnFull, proposedRetry } from '../limiter/on-full.js';

/** What a call wishes. `limit` 0 has no effect. */
export interface PullOption {
  readonly limit: number;
  readonly onFull: OnFull;
}

/** A call's metadata cannot be read as an option. */
export class BadOptionError extends Error {
  override readonly name = 'BadOptionError';
  readonly reason = 'BadOption';
}

/**
 * Reads the option from call metadata, its only source: annotations are
 * written by whoever made the pod. A call with a limit of its own tries as the proposal
 * says; repeated limits mean the smallest.
 * @throws BadOptionError
 */
export function pullOption(headers: IncomingHttpHeaders, settings: { onFull: OnFull; retry: OnFull }): PullOption {
  const limits = valuesOf(headers[limitHeader]).map(limitOf);
  const wished = limits.filter((limit) => limit > 0);
  const [mode, other] = new Set(valuesOf(headers[onFullHeader]));
  if (other !== undefined) throw new BadOptionError(`${onFullHeader} is both ${mode} and ${other}`);
  const limit = wished.length > 0 ? Math.min(...wished) : 0;
  return { limit, onFull: mode === undefined ? ofCall(limit, settings) : onFullOf(mode, settings.retry) };
}

function ofCall(limit: number, { onFull, retry }: { onFull: OnFull; retry: OnFull }): OnFull {
  return limit > 0 && onFull.mode === 'wait' ? retry : onFull;
}

function onFullOf(mode: string, retry: OnFull): OnFull {
  if (mode === 'wait' || mode === 'fail') return { mode };
  if (mode === 'retry') return retry.mode === 'retry' ? retry : proposedRetry;
  throw new BadOptionError(`${onFullHeader} is "${mode.slice(0, 40)}", and can be wait, retry or fail`);
}

function limitOf(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (limit <= maxLimit) return limit;
  throw new BadOptionError(`${limitHeader} is "${text.slice(0, 40)}", and can be 0 to ${maxLimit}`);
}

function valuesOf(header: string | string[] | undefined): readonly string[] {
  const all = header === undefined ? [] : Array.isArray(header) ? header : [header];
  return all.flatMap((value) => value.split(',')).map((value) => value.trim());
}
