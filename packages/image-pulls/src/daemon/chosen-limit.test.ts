import { expect, test } from 'vitest';
import { StepClock } from '../testing/step-clock.js';
import { ChosenLimit } from './chosen-limit.js';

function chosen(limit: number) {
  const clock = new StepClock();
  const said: string[] = [];
  const apply = (to: number, source: string) => said.push(`${to} ${source}`);
  return { clock, last: () => said.at(-1), it: new ChosenLimit({ clock, limit, source: 'configuration', apply }) };
}

test('a limit by hand holds until the configuration is read again', () => {
  const { it, last } = chosen(4);
  it.manual(2, undefined);
  expect(last()).toBe('2 manual');
  it.configured(5, 'configuration');
  expect(last()).toBe('5 configuration');
});

test('a limit by hand for a time outlives what is read, and ends with that', async () => {
  const { it, last, clock } = chosen(4);
  it.manual(2, 60_000);
  it.configured(5, '/var/lib/kubelet/config.yaml');
  expect(last()).toBe('2 manual');
  await clock.advance(60_000);
  expect(last()).toBe('5 /var/lib/kubelet/config.yaml');
});

test('the later of two limits by hand counts, with its own time', async () => {
  const { it, last, clock } = chosen(4);
  it.manual(2, 60_000);
  it.manual(3, undefined);
  await clock.advance(60_000);
  expect(last()).toBe('3 manual');
});

test('while bypassed nothing limits, and afterwards what held before does', () => {
  const { it, last } = chosen(4);
  it.manual(2, undefined);
  it.bypass(true);
  expect(last()).toBe('0 bypass');
  it.bypass(false);
  expect(last()).toBe('2 manual');
});
