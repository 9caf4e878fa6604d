import fc from 'fast-check';
import { test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { bareCluster } from '../support/bare-cluster.js';
import { realKubernetes } from '../support/real-kubernetes.js';
import { claimNodes, claimStory } from '../support/side-by-side/claim-stories.js';
import { handKubelet } from '../support/side-by-side/hand-kubelet.js';
import { playStories, storyName } from '../support/side-by-side/play-stories.js';
import type { Side } from '../support/side-by-side/side.js';

/** `SLIPWAY_STORIES=100` plays more. */
const stories = Number(process.env.SLIPWAY_STORIES ?? 4);

// Generated stories of devices, beside the scheduler and the controller manager of Kubernetes.
test('claims get the devices that they get in Kubernetes, and lose them as there', { timeout: 0 }, async (context) => {
  needs(context, 'real Kubernetes');
  needs(context, 'kubectl');
  await using kubernetes = await realKubernetes(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
  kubernetes.startScheduler();
  await using cluster = await bareCluster({ nodes: 0, version: `1.${kubernetes.minor}` });
  const real: Side = kubernetes;
  const ours: Side = { kubectl: (words, stdin) => cluster.kubectl(words, stdin && JSON.stringify(stdin)) };
  const drawn = fc.sample(claimStory, { numRuns: stories, seed: Number(process.env.SLIPWAY_SEED) });
  const nodes = drawn.flatMap((_, index) => claimNodes.map((name) => name.replace('STORY', storyName(index))));
  await using _real = await handKubelet(real, nodes);
  await using _ours = await handKubelet(ours, nodes);
  await playStories({ real, ours, kinds: 'pods,resourceclaims,resourceclaimtemplates,devicetaintrules' }, drawn);
});
