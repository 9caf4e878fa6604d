import fc from 'fast-check';
import { test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { bareCluster } from '../support/bare-cluster.js';
import { realKubernetes } from '../support/real-kubernetes.js';
import { workloadKinds } from '../support/side-by-side/comparable-objects.js';
import { handKubelet } from '../support/side-by-side/hand-kubelet.js';
import { playStories } from '../support/side-by-side/play-stories.js';
import type { Side } from '../support/side-by-side/side.js';
import { workloadStory } from '../support/side-by-side/workload-stories.js';

/** `SLIPWAY_STORIES=100` plays more. */
const stories = Number(process.env.SLIPWAY_STORIES ?? 12);

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
  await playStories({ real, ours, kinds: workloadKinds }, drawn);
});
