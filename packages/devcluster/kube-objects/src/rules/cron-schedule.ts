/** When a CronJob runs: at wall-clock times, or every so often. */
export type CronSchedule =
  | { readonly kind: 'every'; readonly ms: number }
  | {
      readonly kind: 'at';
      readonly minutes: ReadonlySet<number>;
      readonly hours: ReadonlySet<number>;
      readonly days: ReadonlySet<number>;
      readonly months: ReadonlySet<number>;
      /** 0 is Sunday. */
      readonly weekdays: ReadonlySet<number>;
      /** Days of the month and of the week are both restricted: then one of them is enough. */
      readonly eitherDay: boolean;
    };

/** The string is not a schedule. The message is that of Kubernetes. */
export class CronScheduleError extends Error {
  override readonly name = 'CronScheduleError';
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** Names for the values from `least` on. */
  readonly names: readonly string[];
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const bounds: readonly Bounds[] = [
  { least: 0, most: 59, names: [] },
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  { least: 1, most: 12, names: monthNames },
  { least: 0, most: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
];

const shorthands: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/**
 * Reads a schedule: minute, hour, day of month, month and day of week, each a list of numbers or names,
 * ranges and steps; or a shorthand such as `@hourly` or `@every 1h30m`.
 * @throws CronScheduleError
 */
export function parseCronSchedule(text: string): CronSchedule {
  if (text.startsWith('@every ')) return { kind: 'every', ms: duration(text) };
  const given = shorthands.get(text) ?? text;
  if (given.startsWith('@')) throw new CronScheduleError(`unrecognized descriptor: ${text}`);
  const fields = given.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== bounds.length) {
    throw new CronScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  const read = (at: number) => readField(fields[at] ?? '', bounds[at] as Bounds);
  const [minutes, hours, days, months, weekdays] = [read(0), read(1), read(2), read(3), read(4)];
  return {
    kind: 'at',
    minutes: minutes.values,
    hours: hours.values,
    days: days.values,
    months: months.values,
    weekdays: weekdays.values,
    eitherDay: !days.isAny && !weekdays.isAny,
  };
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** It has a `*` that leaves nothing out. */
  readonly isAny: boolean;
}

function readField(text: string, within: Bounds): Field {
  const values = new Set<number>();
  let isAny = false;
  for (const part of partsOf(text)) {
    const { first, last, step } = readRange(part, within);
    for (let value = first; value <= last; value += step) values.add(value);
    if (/^[*?]/.test(part) && step === 1) isAny = true;
  }
  return { values, isAny };
}

/** The parts of a list, each once. A hostile one says the same half a million times. */
function partsOf(text: string): ReadonlySet<string> {
  const parts = new Set<string>();
  let last = '';
  for (let start = 0; start <= text.length; ) {
    const comma = text.indexOf(',', start);
    const end = comma < 0 ? text.length : comma;
    if (end - start !== last.length || !text.startsWith(last, start)) {
      last = text.slice(start, end);
      if (last !== '') parts.add(last);
    }
    start = end + 1;
  }
  return parts;
}

function readRange(text: string, { least, most, names }: Bounds) {
  const [range = '', stepText, ...slashes] = text.split('/');
  const [from = '', to, ...hyphens] = range.split('-');
  if (slashes.length > 0) throw new CronScheduleError(`too many slashes: ${text}`);
  const isAny = from === '*' || from === '?';
  if (hyphens.length > 0 && !isAny) throw new CronScheduleError(`too many hyphens: ${text}`);
  const value = (word: string) => {
    const named = names.indexOf(word.toLowerCase());
    return named >= 0 ? least + named : wholeNumber(word);
  };
  const step = stepText === undefined ? 1 : wholeNumber(stepText);
  const first = isAny ? least : value(from);
  // One value with a step means "from there on".
  const end = to === undefined ? (stepText === undefined ? first : most) : value(to);
  const last = isAny ? most : end;
  if (first < least) throw new CronScheduleError(`beginning of range (${first}) below minimum (${least}): ${text}`);
  if (last > most) throw new CronScheduleError(`end of range (${last}) above maximum (${most}): ${text}`);
  if (first > last) throw new CronScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${text}`);
  if (step === 0) throw new CronScheduleError(`step of range should be a positive number: ${text}`);
  return { first, last, step };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new CronScheduleError(`failed to parse int from ${text}: ${why}`);
  }
  return Number(text);
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Go's notation: `1h30m`. Never more often than each second. */
function duration(text: string): number {
  const amount = text.slice('@every '.length);
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(amount)) {
    const why = `time: invalid duration ${JSON.stringify(amount)}`;
    throw new CronScheduleError(`failed to parse duration ${text}: ${why}`);
  }
  const parts = [...amount.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
  return Math.max(1_000, Math.floor(ms / 1_000) * 1_000);
}
