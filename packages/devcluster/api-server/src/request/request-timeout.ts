import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import type { Address } from './address.js';

const longRunning: readonly string[] = ['attach', 'exec', 'log', 'portforward', 'proxy'];

/**
 * Refuses a request whose `timeout` is not a duration, such as `10s`. Requests that run for as long as their client
 * wants have none.
 *
 * @throws StatusError BadRequest.
 */
export function requireTimeout({ parsed, query }: Address): void {
  const timeout = query.get('timeout');
  if (!timeout) return;
  if (parsed.kind === 'resource') {
    const { subresource, watchPrefix } = parsed.resource;
    if (watchPrefix || query.flag('watch') || longRunning.includes(subresource)) return;
  }
  const problem = durationProblem(timeout);
  if (problem) throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`);
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
