import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { containerAt } from './container-at.js';
import { containerEvents } from './container-events.js';
import { withNewImages } from './new-images.js';
import { type ContainerTimes, type ImageTimes, noDelays, podTimeline } from './pod-timeline.js';

const delays = { ...noDelays, startMs: 100, initMs: 1_000 };
/** A pull takes a second. */
const images: ImageTimes = (_, fromMs) => ({ pullAtMs: fromMs, pulledAtMs: fromMs + 1_000 });
const main = { name: 'main', image: 'a:1' };
const init = { name: 'init', image: 'i:1' };

function podOf(spec: object) {
  return aPod('web', { spec: { containers: [main], ...spec } });
}

function at(timeline: readonly ContainerTimes[], elapsedMs: number): string[] {
  return timeline.map((times) => {
    const { state, life } = containerAt(times, elapsedMs);
    return `${times.container.image} ${state} ${life?.restarts ?? '-'}`;
  });
}

// restart policy of the pod, when the image is changed | what the container does a moment later, and at the end
test.each([
  ['Always', 5_000, 'a:2 interrupted 0', 'a:2 running 1'],
  ['Never', 5_000, 'a:2 interrupted 0', 'a:2 running 1'],
  ['Always', 500, 'a:2 unborn -', 'a:2 running 0'],
])('with restart policy %s, another image after %i ms: %s, then %s', (restartPolicy, atMs, soon, then) => {
  const timeline = podTimeline(podOf({ restartPolicy }), delays, images);
  const changed = withNewImages(timeline, [{ ...main, image: 'a:2' }], { images, delays, atMs });
  expect(at(changed.timeline, atMs + 10)).toEqual([soon]);
  expect(at(changed.timeline, 20_000)).toEqual([then]);
  expect(changed.restarted).toEqual(then.endsWith('1') ? ['main'] : []);
});

test('a container that has ended keeps its image, and so does an init container that runs', () => {
  const pod = podOf({ restartPolicy: 'Never', initContainers: [init] });
  const timeline = podTimeline(pod, delays, images);
  const asked = [
    { ...init, image: 'i:2' },
    { ...main, image: 'a:2' },
  ];
  const during = withNewImages(timeline, asked, { images, delays, atMs: 1_500 });
  expect(at(during.timeline, 1_500)).toEqual(['i:1 running 0', 'a:2 unborn -']);
  const after = withNewImages(timeline, asked, { images, delays, atMs: 9_000 });
  expect(at(after.timeline, 20_000)).toEqual(['i:1 ended 0', 'a:2 running 1']);
});

test('a second change while the first image comes replaces it, and each new image is told of once', () => {
  const pod = podOf({});
  const first = podTimeline(pod, delays, images);
  const second = withNewImages(first, [{ ...main, image: 'a:2' }], { images, delays, atMs: 5_000 });
  const third = withNewImages(second.timeline, [{ ...main, image: 'a:3' }], { images, delays, atMs: 5_500 });
  expect(third.restarted).toEqual([]);
  expect(at(third.timeline, 6_400)).toEqual(['a:3 interrupted 0']);
  expect(at(third.timeline, 6_600)).toEqual(['a:3 running 1']);
  const told = containerEvents(pod, third.timeline, 5_000, 20_000, versionProfiles['v1.37']);
  expect(told.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
    'Pulling: Pulling image "a:3"',
    'Pulled: Successfully pulled image "a:3" in 1000ms (1000ms including waiting)',
    'Created: Container created',
    'Started: Container started',
  ]);
});
