import { expect, test } from 'vitest';
import type { FeatureSpec, Mode } from '../api/feature.js';
import type { ComponentUses } from '../api/uses-status.js';
import { aDefinition, after, allOff, allOn, aSituation, counts, settled } from '../testing/a-situation.js';
import { settable } from './steering.js';
import { step } from './step.js';

const config = { component: 'agent', flag: '--x-limit' };

// definition | a process has a flag of its own | the operator allows it | most that may be asked | why no more
test.each<['Never' | 'AtStart' | 'Live', boolean, boolean, Mode, string?]>([
  ['Never', false, true, 'Follow', 'its definition says dynamic: Never'],
  ['AtStart', false, true, 'Central', 'its definition says dynamic: AtStart'],
  ['AtStart', true, true, 'Follow', 'agent takes --x-limit with it, so only its own command line can set it'],
  ['Live', false, false, 'Central', 'the feature server was not started with --allow-dynamic=Widgets'],
  ['Live', true, true, 'Follow', 'agent takes --x-limit with it, so only its own command line can set it'],
  ['Live', false, true, 'Dynamic'],
])('settable() with dynamic: %s, config: %s, allowed: %s', (dynamic, takes, isAllowed, mode, why) => {
  const definition = { ...aDefinition, dynamic };
  const given = settable({ gate: 'Widgets', definition, config: takes ? config : undefined, isAllowed });
  expect(given).toEqual(why === undefined ? { mode } : { mode, why });
});

// what is asked | the most that may be | whether it is refused
test.each<[Partial<FeatureSpec>, Mode, boolean]>([
  [{ mode: 'Follow', desired: 'Off' }, 'Follow', false],
  [{ mode: 'Dynamic', desired: 'Unmanaged' }, 'Follow', false],
  [{ mode: 'Dynamic', desired: 'Off' }, 'Central', true],
  [{ mode: 'Central', desired: 'Unmanaged' }, 'Follow', true],
  [{ mode: 'Central', desired: 'Off' }, 'Central', false],
])('step() with %j where %s is the most', (spec, mode, isRefused) => {
  const { status } = step(aSituation('On', { spec, settable: { mode, why: 'so it is' } }));
  const blocked = status.conditions?.find(({ type }) => type === 'Blocked');
  expect(blocked?.reason === 'NotDynamic').toBe(isRefused);
  expect(status.settable).toEqual({ mode, why: 'so it is' });
});

test('step() in mode Central: the flag of the authority is published, and it alone is waited for to change', () => {
  const central = { mode: 'Central', desired: 'Unmanaged' } as const;
  const settledOff = step(aSituation('Off', { spec: central }));
  expect(settledOff.status.published).toEqual({ value: false, epoch: 3, authority: 'server' });

  // The server was restarted with another flag; the agents still run the old value.
  const flagged = aSituation('Off', { spec: central, uses: counts('1/0/0 0/2/0 0/1/0') });
  const begun = step(flagged);
  expect(begun.status).toMatchObject({ state: 'TurningOn', configured: { value: true, source: 'Authority' } });
  const { situation: end } = settled({ ...flagged, uses: allOn });
  expect(end.status).toMatchObject({ state: 'On', published: { value: true, epoch: 4, authority: 'server' } });
});

test('step() in mode Central: while replicas of the authority disagree nothing else is published', () => {
  const uses = counts('1/0/0 0/2/0 0/1/0');
  const [server, ...others] = uses.components as [ComponentUses, ...ComponentUses[]];
  const torn = { ...uses, components: [{ ...server, expected: 2, off: 1 }, ...others] };
  const { status } = step(aSituation('Off', { spec: { mode: 'Central', desired: 'Unmanaged' }, uses: torn }));
  expect(status.published?.value).toBe(false);
  expect(status.configured?.conflict).toBe('server: 1 on, 1 off');
});

test('step() changes what is published when the mode does, and withdraws it in mode Follow', () => {
  const dynamic = aSituation('Off', { spec: { mode: 'Dynamic', desired: 'Off' }, uses: allOff });
  const toCentral = step({ ...dynamic, spec: { ...dynamic.spec, mode: 'Central' } });
  expect(toCentral.status.published).toMatchObject({ value: false, authority: 'server' });
  const back = step({ ...after(dynamic, toCentral), spec: dynamic.spec });
  expect(back.status.published).not.toHaveProperty('authority');
  const follow = step({ ...after(dynamic, back), spec: { ...dynamic.spec, mode: 'Follow' } });
  expect(follow.status).not.toHaveProperty('published');
});

test('step() publishes to those whom the mode means also while a transition runs', () => {
  const central = { mode: 'Central', desired: 'Unmanaged' } as const;
  const flagged = aSituation('Off', { spec: central, uses: counts('1/0/0 0/2/0 0/1/0') });
  const { situation: waiting } = settled({ ...flagged, spec: { ...flagged.spec, mode: 'Dynamic', desired: 'On' } });
  const published = { value: true, epoch: 4 };
  const before = { ...waiting.status, state: 'TurningOn' as const, published: { ...published, authority: 'server' } };
  const begun = step(flagged).status.transition;
  const { status } = step({ ...waiting, status: { ...before, ...(begun && { transition: begun }) } });
  expect(status.transition).toBeDefined();
  expect(status.published).toEqual(published);
});

test('step() withdraws the value when the operator takes the consent back, and says so', () => {
  const on = aSituation('On', { spec: { mode: 'Dynamic', desired: 'On' } });
  const { status } = step({ ...on, settable: { mode: 'Central', why: 'the operator says no' } });
  expect(status).not.toHaveProperty('published');
  expect(status).toMatchObject({ state: 'On', settable: { mode: 'Central' } });
  expect(status.conditions?.find(({ type }) => type === 'Blocked')).toMatchObject({ reason: 'NotDynamic' });
});
