import { expect, test } from 'vitest';
import type { Consent, ConsentedObjects } from '../api/feature.js';
import { aConsent, startMs } from '../testing/a-situation.js';
import { type ConsentQuestion, consentProblem, extentProblem, withdrawConsent } from './consent.js';

const hour = 3_600_000;
const time = (ms: number) => new Date(startMs + ms).toISOString();
const question: ConsentQuestion = { plan: 'p', revision: 'u1/1', nowMs: startMs, isUnderWay: false };

// consent | what is asked | why it does not cover that
const consents: [Partial<Consent> | undefined, Partial<ConsentQuestion>, string | undefined][] = [
  [{}, {}, undefined],
  [undefined, {}, 'this plan has no consent'],
  [{ plan: 'q' }, {}, 'the consent is to another plan'],
  [{ definition: 'u1/2' }, {}, 'the definition has changed since the consent was given'],
  [{ definition: 'u2/1' }, {}, 'the definition has changed since the consent was given'],
  [{}, { nowMs: startMs + hour - 1 }, undefined],
  [{}, { nowMs: startMs + hour }, `the consent expired at ${time(hour)}`],
  [{}, { nowMs: startMs + hour, isUnderWay: true }, undefined],
  [{ plan: 'q' }, { isUnderWay: true }, 'the consent is to another plan'],
  [{ expires: time(24 * hour) }, {}, undefined],
  [{ expires: time(25 * hour) }, {}, `the consent ends at ${time(25 * hour)}, too far ahead`],
  [{ expires: 'never' }, {}, 'the consent ends at never, too far ahead'],
];
test.each(consents)('consentProblem() of %j for %j is %s', (overrides, asked, problem) => {
  const consent = overrides && aConsent('p', overrides);
  expect(consentProblem(consent, {}, { ...question, ...asked })).toBe(problem);
});

test('a consent that once did not hold is withdrawn for good, and another one is not', () => {
  const withdrawn = withdrawConsent({}, aConsent('p'), 'the definition was broken');
  expect(consentProblem(aConsent('p'), withdrawn, question)).toBe('the definition was broken');
  expect(consentProblem(aConsent('p', { expires: time(hour + 1) }), withdrawn, question)).toBeUndefined();
  expect(withdrawConsent(withdrawn, aConsent('p'), 'something else')).toBe(withdrawn);
});

const shown = (count: number, newestMs?: number): ConsentedObjects => ({
  task: 'ClearField',
  count,
  ...(newestMs !== undefined && { newest: time(newestMs) }),
});
// shown | objects now | when the newest was created | changed before | why not
const extents: [ConsentedObjects | undefined, number, number | undefined, number, RegExp | undefined][] = [
  [shown(3, 0), 3, 0, 0, undefined],
  [shown(3, 0), 2, -1_000, 0, undefined],
  [shown(3, 0), 0, undefined, 0, undefined],
  [shown(0), 0, undefined, 0, undefined],
  [shown(3, 0), 4, 0, 0, /would change 4 objects, and 3 were agreed to/],
  [shown(3, 0), 2, 0, 2, /has changed 2 objects and would change 2, and 3 were agreed to/],
  [shown(3, 0), 1, 1_000, 0, /created at .* after the consent/],
  [shown(3), 1, 0, 0, /created at .* after the consent/],
  [undefined, 0, undefined, 0, /were not shown/],
];
test.each(extents)('extentProblem() of %j for %d objects', (agreed, count, newestMs, changed, problem) => {
  const found = extentProblem(agreed, { count, ...(newestMs !== undefined && { newest: time(newestMs) }) }, changed);
  expect(found ?? 'none').toMatch(problem ?? /^none$/);
});
