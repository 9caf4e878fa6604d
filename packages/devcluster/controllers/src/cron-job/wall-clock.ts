/** A moment as a clock on the wall shows it, in milliseconds as if that clock were UTC's. */
export type WallMs = number;

/** Returns the wall clock of a time zone at a moment. */
export function wallAt(ms: number, timeZone: string): WallMs {
  if (timeZone === 'UTC') return ms;
  const parts = formatter(timeZone).formatToParts(ms);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall + (((ms % 1000) + 1000) % 1000);
}

/** When clocks show that; undefined when they skip it. Of two moments, when they are put back, one. */
export function momentOf(wall: WallMs, timeZone: string): number | undefined {
  let ms = wall;
  // The offset at a guess is right or leads to a better guess.
  for (let guess = 0; guess < 3; guess++) {
    const difference = wallAt(ms, timeZone) - wall;
    if (difference === 0) return ms;
    ms -= difference;
  }
  return undefined;
}

function formatter(timeZone: string): Intl.DateTimeFormat {
  const number = 'numeric';
  const date = { year: number, month: number, day: number } as const;
  return new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    ...date,
    hour: number,
    minute: number,
    second: number,
  });
}
