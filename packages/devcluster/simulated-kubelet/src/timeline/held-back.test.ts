import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { instantly } from '../images/pod-pulls.js';
import { containerAt } from './container-at.js';
import { whyHeldBack, withHeldBack } from './held-back.js';
import { type ContainerTimes, noDelays } from './pod-timeline.js';

const delays = { ...noDelays, startMs: 100 };
const container = (name: string) => ({ name, image: 'image' });

/** The containers of a pod, with what holds them back; both are as a kubelet keeps them. */
function aPodWith(...init: string[]) {
  const spec = { initContainers: init.map(container), containers: ['a', 'b'].map(container) };
  const pod = aPod('p', { spec, status: {} } as never);
  const pulls = instantly({ delays, machine: { images: new Set() } } as never, {} as never);
  let timeline = pulls.timelineOf(pod);
  return {
    timeline: () => timeline,
    hold(problems: Readonly<Record<string, string>>, atMs: number): readonly ContainerTimes[] {
      const changed = withHeldBack(timeline, new Map(Object.entries(problems)), atMs);
      timeline = pulls.pull({ pod, timeline: changed } as never, atMs).timeline;
      return timeline;
    },
  };
}

const statesAt = (timeline: readonly ContainerTimes[], elapsedMs: number) =>
  timeline.map((times) => whyHeldBack(times, elapsedMs) ?? containerAt(times, elapsedMs).state).join(' ');

test('a container that is held back is not made, and others are', () => {
  const pod = aPodWith();
  expect(statesAt(pod.hold({ a: 'wrong' }, 0), 1_000)).toBe('wrong running');
  expect(statesAt(pod.hold({ a: 'other' }, 1_000), 1_000)).toBe('other running');
  const released = pod.hold({}, 2_000);
  expect([2_099, 2_100].map((atMs) => statesAt(released, atMs))).toEqual(['unborn running', 'running running']);
  expect(containerAt(released[1] as ContainerTimes, 3_000).life?.startedAtMs).toBe(100);
});

test('those behind an init container that is held back wait for it', () => {
  const pod = aPodWith('init');
  expect(statesAt(pod.hold({ init: 'wrong' }, 0), 1_000)).toBe('wrong unborn unborn');
  expect(statesAt(pod.hold({}, 2_000), 2_200)).toBe('ended running running');
});

test('a timeline without problems stays the same', () => {
  const timeline = aPodWith().timeline();
  expect(withHeldBack(timeline, new Map(), 0)).toBe(timeline);
});
