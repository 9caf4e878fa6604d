import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { bareCluster } from '../support/bare-cluster.js';
import { realKubernetes } from '../support/real-kubernetes.js';
import { comparableObjects } from '../support/side-by-side/comparable-objects.js';
import { handKubelet } from '../support/side-by-side/hand-kubelet.js';
import type { Side } from '../support/side-by-side/side.js';
import { workloadStory } from '../support/side-by-side/workload-stories.js';
import { eventually } from '../support/slipway.js';

/** `SLIPWAY_STORIES=100` plays more. */
const stories = Number(process.env.SLIPWAY_STORIES ?? 12);
const atOnce = 6;
/** Whoever changes nothing for so long has come to rest. */
const restMs = 1_500;

// Generated stories of workloads, beside the controller manager of Kubernetes: after each act both have the same objects.
test('controllers come to what those of Kubernetes come to', { timeout: 0 }, async (context) => {
  needs(context, 'real Kubernetes');
  await using kubernetes = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  const version = `1.${kubernetes.minor}`;
  await using cluster = await bareCluster({ nodes: 0, version });
  const real: Side = kubernetes;
  const ours: Side = {
    kubectl: (words, stdin) => cluster.kubectl(words, stdin && JSON.stringify(stdin)),
  };
  await using _real = await handKubelet(real);
  await using _ours = await handKubelet(ours);

  const drawn = fc.sample(workloadStory, { numRuns: stories, seed: Number(process.env.SLIPWAY_SEED) });
  const waiting = drawn.map((acts, index) => ({ acts, namespace: `story-${index}` }));
  const play = async () => {
    for (let story = waiting.shift(); story; story = waiting.shift()) await playStory(story);
  };
  await Promise.all(Array.from({ length: atOnce }, play));

  async function playStory({ acts, namespace }: (typeof waiting)[number]): Promise<void> {
    for (const side of [real, ours]) {
      await side.kubectl(['create', 'namespace', namespace]);
      const account = ['get', 'serviceaccount', 'default', '-n', namespace];
      await eventually('the account is there', async () => (await side.kubectl(account)).code === 0);
    }
    const done: string[] = [];
    for (const { words, stdin } of acts) {
      done.push(`${words.join(' ')} ${stdin ? JSON.stringify(stdin) : ''}`);
      const outcomes = await Promise.all([real, ours].map((side) => side.kubectl([...words, '-n', namespace], stdin)));
      expect(outcomes[1]?.code, `${done.join('\n')}\n${outcomes.map(({ stderr }) => stderr)}`).toBe(outcomes[0]?.code);
      await settled(namespace, done);
    }
  }

  async function settled(namespace: string, done: readonly string[]): Promise<void> {
    let before: unknown;
    const what = `both have the same objects after\n${done.join('\n')}`;
    const areAlike = async () => {
      const [theirs, own] = await Promise.all([real, ours].map((side) => comparableObjects(side, namespace)));
      const isAtRest = JSON.stringify(theirs) === before;
      before = JSON.stringify(theirs);
      expect(own).toEqual(theirs);
      if (!isAtRest) await setTimeout(restMs);
      return isAtRest;
    };
    await eventually(what, areAlike, 90_000);
  }
});
