import { createFeatureGate } from '@slipway/feature-gates';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { LateReporting } from './late-reporting.js';

const gate = createFeatureGate({ component: 'kubelet', version: '1.34' });

function aReport(story: string[], name: string) {
  return () => {
    story.push(`${name} starts`);
    return { stop: async () => void story.push(`${name} stops`) };
  };
}

test('LateReporting starts what waited, and from then on everything at once', async () => {
  const story: string[] = [];
  const late = new LateReporting(new ManualClock());
  const first = late.report(gate, aReport(story, 'first'));
  const second = late.report(gate, aReport(story, 'second'));
  await second.stop();
  expect(story).toEqual([]);
  late.begin();
  late.begin();
  const third = late.report(gate, aReport(story, 'third'));
  await first.stop();
  await third.stop();
  expect(story).toEqual(['first starts', 'third starts', 'first stops', 'third stops']);
});

test('LateReporting starts some hundred at a time, and none that was stopped before its turn', async () => {
  const clock = new ManualClock();
  const story: string[] = [];
  const late = new LateReporting(clock);
  const reports = Array.from({ length: 500 }, (_, index) => late.report(gate, aReport(story, `${index}`)));
  late.begin();
  expect(story).toHaveLength(200);
  await reports[499]?.stop();
  await clock.advance(250);
  expect(story).toHaveLength(400);
  await clock.advance(1000);
  expect(story).toHaveLength(499);
});
