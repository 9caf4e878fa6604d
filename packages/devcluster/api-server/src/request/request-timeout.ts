import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { parseDuration } from '@slipway/cel/library/times';
import type { Address } from './address.js';

const longRunning: readonly string[] = ['attach', 'exec', 'log', 'portforward', 'proxy'];

/** Maximum that a request may take, which is what it gets when it asks for no less, in milliseconds. */
const mostMs = 60_000;

/**
 * Refuses a request whose `timeout` is not a duration, such as `10s`. Requests that run for as long as their client
 * wants have none.
 *
 * @throws StatusError BadRequest.
 */
export function requireTimeout(address: Address): void {
  const timeout = address.query.get('timeout');
  if (!timeout || isLongRunning(address)) return;
  const problem = durationProblem(timeout);
  if (problem) throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`);
}

/** Returns the milliseconds that a request may take; undefined for one that runs for as long as its client wants. */
export function timeLimitMs(address: Address): number | undefined {
  if (isLongRunning(address)) return undefined;
  const asked = parseDuration(address.query.get('timeout') ?? '');
  const askedMs = asked ? Number(asked.nanos / 1_000_000n) : 0;
  return askedMs > 0 ? Math.min(askedMs, mostMs) : mostMs;
}

function isLongRunning({ parsed, query }: Address): boolean {
  if (parsed.kind !== 'resource') return false;
  const { subresource, watchPrefix } = parsed.resource;
  return watchPrefix || query.flag('watch') || longRunning.includes(subresource);
}

const units: readonly string[] = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];

/** Returns the problem of a duration, in the words of Go; undefined when there is none. */
function durationProblem(text: string): string | undefined {
  const shown = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return `invalid duration ${shown}`;
  while (rest !== '') {
    const [, number = '', unit = ''] = /^(\d*\.?\d*)([^\d.]*)/.exec(rest) ?? [];
    if (!/\d/.test(number)) return `invalid duration ${shown}`;
    if (unit === '') return `missing unit in duration ${shown}`;
    if (!units.includes(unit)) return `unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
    rest = rest.slice(number.length + unit.length);
  }
  return undefined;
}
