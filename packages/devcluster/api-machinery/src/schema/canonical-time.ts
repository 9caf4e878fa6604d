import { goQuoted } from '../errors/go-quoted.js';
/** Text is not a time; the message is the one Go gives. */
export class TimeError extends Error {
  override readonly name = 'TimeError';
}

const wholeSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const microSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const layouts = { time: '2006-01-02T15:04:05Z07:00', microTime: '2006-01-02T15:04:05.000000Z07:00' };

/** RFC 3339 text -> UTC in whole seconds. @throws TimeError */
export function canonicalTime(text: string): string {
  if (isCanonical(text)) return text;
  const { utc } = parse(text, 'time');
  return wholeSeconds.test(text) ? text : `${utc.toISOString().slice(0, 19)}Z`;
}

/** Nearly all times are: whoever writes one as the server does is spared the rest. */
function isCanonical(text: string): boolean {
  if (!wholeSeconds.test(text)) return false;
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (month < 1 || month > 12 || day < 1 || twoDigits(text, 11) > 23) return false;
  return day <= daysIn(Number(text.slice(0, 4)), month) && twoDigits(text, 14) <= 59 && twoDigits(text, 17) <= 59;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

/** RFC 3339 text with exactly six digits of fraction -> the same in UTC. @throws TimeError */
export function canonicalMicroTime(text: string): string {
  if (microSeconds.test(text) && isCanonical(`${text.slice(0, 19)}Z`)) return text;
  const { utc, fraction } = parse(text, 'microTime');
  return `${utc.toISOString().slice(0, 19)}.${fraction}Z`;
}

interface Parsed {
  /** Without the fraction. */
  readonly utc: Date;
  readonly fraction: string;
}

function parse(text: string, kind: keyof typeof layouts): Parsed {
  let rest = text;
  const fail = (element: string): never => {
    throw new TimeError(
      `parsing time ${goQuoted(text)} as "${layouts[kind]}": cannot parse ${goQuoted(rest)} as "${element}"`,
    );
  };
  const take = (element: string, pattern: RegExp): string => {
    const found = pattern.exec(rest)?.[0] ?? fail(element);
    rest = rest.slice(found.length);
    return found;
  };
  const number = (element: string, low: number, high: number, what: string): number => {
    const value = Number(take(element, element === '2006' ? /^\d{4}/ : /^\d\d/));
    if (value < low || value > high) throw new TimeError(`parsing time ${goQuoted(text)}: ${what} out of range`);
    return value;
  };

  const year = number('2006', 0, 9999, 'year');
  take('-', /^-/);
  const month = number('01', 1, 12, 'month');
  take('-', /^-/);
  const day = number('02', 1, daysIn(year, month), 'day');
  take('T', /^T/);
  const hour = number('15', 0, 23, 'hour');
  take(':', /^:/);
  const minute = number('04', 0, 59, 'minute');
  take(':', /^:/);
  const second = number('05', 0, 59, 'second');
  const fraction =
    kind === 'microTime' ? take('.000000', /^[.,]\d{6}(?!\d)/).slice(1) : (/^[.,]\d+/.exec(rest)?.[0] ?? '');
  if (kind === 'time') rest = rest.slice(fraction.length);
  const zone = take('Z07:00', /^(?:Z|[+-]\d\d:\d\d)/);
  if (rest !== '') throw new TimeError(`parsing time ${goQuoted(text)}: extra text: ${goQuoted(rest)}`);

  const offsetMinutes =
    zone === 'Z' ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute - offsetMinutes, second);
  return { utc, fraction };
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
