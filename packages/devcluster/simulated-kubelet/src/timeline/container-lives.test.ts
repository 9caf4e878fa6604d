import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LifeCourse, lifeAt, livesOf } from './container-lives.js';

const seconds = (ms: number) => ms / 1000;
const starts = (course: LifeCourse, count: number) => {
  const found: number[] = [];
  for (const { startedAtMs } of livesOf(course)) {
    found.push(seconds(startedAtMs));
    if (found.length === count) break;
  }
  return found;
};

test('livesOf() restarts at once, then after 10 s, doubling to 5 min', () => {
  const course = { firstStartMs: 0, lastsMs: 1000, isRestarted: true };
  expect(starts(course, 9)).toEqual([0, 1, 12, 33, 74, 155, 316, 617, 918]);
});

test('livesOf() forgives a container that ran for more than 10 min', () => {
  const course = { firstStartMs: 0, lastsMs: 601_000, isRestarted: true };
  expect(starts(course, 3)).toEqual([0, 601, 1202]);
});

test('livesOf() has one life for what is not restarted', () => {
  expect(starts({ firstStartMs: 5_000, lastsMs: 1000, isRestarted: false }, 9)).toEqual([5]);
  expect(starts({ firstStartMs: Number.POSITIVE_INFINITY, lastsMs: 1000, isRestarted: true }, 9)).toEqual([]);
});

test('livesOf() ends a life when its program was told to exit, whatever was planned, and goes on as that end says', () => {
  const told = (restarts: number, second: number, isRestarted: boolean) => ({
    restarts,
    atMs: second * 1000,
    code: 3,
    isRestarted,
  });
  const course = { firstStartMs: 0, lastsMs: Number.POSITIVE_INFINITY, isRestarted: true };
  const exits = [told(0, 5, true), told(1, 5, true), told(2, 700, true), told(3, 800, false)];
  expect(starts({ ...course, exits }, 9)).toEqual([0, 5, 15, 700]);
  expect([...livesOf({ ...course, exits })].map(({ exitCode }) => exitCode)).toEqual([3, 3, 3, 3]);
  expect(lifeAt({ ...course, exits }, 800_000)).toMatchObject({ state: 'ended', untilMs: Number.POSITIVE_INFINITY });
  expect(starts({ ...course, lastsMs: 1000, isRestarted: false, exits: [told(0, 0.5, true)] }, 9)).toEqual([0, 0.5]);
});

// at second | state, restarts, until second
const cases: [number, string][] = [
  [4, 'unborn - 5'],
  [5, 'running 0 7'],
  [7, 'running 1 9'],
  [9, 'backing-off 1 19'],
  [19, 'running 2 21'],
  [21, 'backing-off 2 41'],
];
test.each(cases)('lifeAt() at %i s: %s', (at, expected) => {
  const { state, life, untilMs } = lifeAt({ firstStartMs: 5_000, lastsMs: 2_000, isRestarted: true }, at * 1000);
  expect(`${state} ${life?.restarts ?? '-'} ${seconds(untilMs)}`).toBe(expected);
});

test('lifeAt() stays ended, and runs on', () => {
  expect(lifeAt({ firstStartMs: 0, lastsMs: 10, isRestarted: false }, 10)).toMatchObject({
    state: 'ended',
    untilMs: Number.POSITIVE_INFINITY,
  });
  expect(lifeAt({ firstStartMs: 0, lastsMs: Number.POSITIVE_INFINITY, isRestarted: true }, 1e12)).toMatchObject({
    state: 'running',
    untilMs: Number.POSITIVE_INFINITY,
  });
});

test('lifeAt() changes nothing before the moment it gives, and something at it', () => {
  const courses = fc.record({
    firstStartMs: fc.integer({ min: 0, max: 60_000 }),
    lastsMs: fc.integer({ min: 1, max: 900_000 }),
    isRestarted: fc.boolean(),
  });
  fc.assert(
    fc.property(
      courses,
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (course, atMs, share) => {
        const now = lifeAt(course, atMs);
        const untilMs = Math.min(now.untilMs, atMs + 1_000_000);
        expect(lifeAt(course, atMs + Math.floor((untilMs - atMs) * share))).toEqual(now);
        if (now.untilMs !== Number.POSITIVE_INFINITY) expect(lifeAt(course, now.untilMs)).not.toEqual(now);
      },
    ),
  );
});
