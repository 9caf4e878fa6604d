import { badRequest } from '@slipway/api-machinery/errors/status-errors';

/**
 * The query of a request. Where a parameter is repeated, the first counts,
 * except where a list is asked for. Malformed escapes are taken literally.
 */
export class Query {
  readonly #pairs: readonly (readonly [string, string])[];

  constructor(text: string) {
    this.#pairs = text === '' ? none : text.split('&').filter(Boolean).map(pairOf);
  }

  get(name: string): string | undefined {
    for (const pair of this.#pairs) if (pair[0] === name) return pair[1];
    return undefined;
  }

  all(name: string): readonly string[] {
    return this.#pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]);
  }

  /** True for any value but `false` and `0`: `?watch` alone is true. */
  flag(name: string): boolean {
    const value = this.get(name);
    return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
  }

  /**
   * @throws StatusError BadRequest when the value is not an integer of 64 bits.
   */
  integer(name: string): number | undefined {
    const value = this.get(name);
    return value === undefined || value === '' ? undefined : parseInteger(value);
  }
}

const none: readonly (readonly [string, string])[] = [];

/**
 * A signed 64 bit integer in the way and with the complaints of Go.
 *
 * @throws StatusError BadRequest.
 */
export function parseInteger(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  if (value !== BigInt.asIntN(64, value)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

function pairOf(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  return equals < 0 ? [decode(text), ''] : [decode(text.slice(0, equals)), decode(text.slice(equals + 1))];
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
