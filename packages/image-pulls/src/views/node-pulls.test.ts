import { expect, test } from 'vitest';
import { type ClusterEvent, nodePullsOf } from './node-pulls.js';

/** `12 Pulling web:1` is an event 12 seconds after the beginning. */
function events(story: string): readonly ClusterEvent[] {
  const messages: Readonly<Record<string, (image: string) => string>> = {
    Pulling: (image) => `Pulling image "${image}"`,
    Pulled: (image) => `Successfully pulled image "${image}" in 2s (3s including waiting). Image size: 10 bytes.`,
    Present: (image) => `Container image "${image}" already present on machine`,
    Failed: (image) => `Failed to pull image "${image}": not found`,
    BackOff: (image) => `Back-off pulling image "${image}"`,
    Other: () => 'Error: ErrImagePull',
  };
  return story.split(', ').map((part) => {
    const [seconds = '', reason = '', image = '', pod = 'web'] = part.split(' ');
    return {
      reason: { Present: 'Pulled', Other: 'Failed' }[reason] ?? reason,
      message: messages[reason]?.(image) ?? '',
      lastTimestamp: at(Number(seconds)),
      firstTimestamp: at(Number(seconds)),
      source: { host: 'n1' },
      involvedObject: { kind: 'Pod', namespace: 'shop', name: pod, uid: `uid-${pod}` },
    };
  });
}

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString().replace('.000', '');
}

test.each([
  ['a pull runs', '1 Pulling a', ['a pulling 1']],
  ['a pull has ended', '1 Pulling a, 9 Pulled a', []],
  ['a pull ended in the second in which it began', '1 Pulled a, 1 Pulling a', []],
  ['an image is there', '1 Present a', []],
  ['a pull failed', '1 Pulling a, 2 Failed a, 2 Other a', ['a failed 2']],
  ['a kubelet backs off', '1 Pulling a, 2 Failed a, 3 BackOff a', ['a failed 2']],
  ['a pull is tried again', '1 Pulling a, 2 Failed a, 30 Pulling a', ['a pulling 30']],
  ['two images of one pod', '1 Pulling a, 2 Pulling b, 3 Pulled b', ['a pulling 1']],
  ['one image of two pods', '5 Pulling a one, 2 Pulling a two', ['a pulling 2', 'a pulling 5']],
])('nodePullsOf() when %s', (_, story, pulls) => {
  const found = nodePullsOf(events(story)).map(({ image, state, since }) => {
    return `${image} ${state} ${(Date.parse(since) - Date.UTC(2026, 0, 1)) / 1_000}`;
  });
  expect(found).toEqual(pulls);
});

test('nodePullsOf() keeps what the kubelet said of the failure, and where it is', () => {
  const [pull] = nodePullsOf(events('1 Pulling a, 2 Failed a, 3 BackOff a'));
  expect(pull).toMatchObject({ node: 'n1', pod: 'shop/web', message: 'Failed to pull image "a": not found' });
});
