import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { bareCluster } from '../support/bare-cluster.js';
import { hostPrograms } from '../support/host-programs.js';
import { realKubernetes } from '../support/real-kubernetes.js';
import { realNode } from '../support/real-node.js';
import { type ComparablePod, comparablePods } from '../support/side-by-side/comparable-pods.js';
import { differences } from '../support/side-by-side/differences.js';
import {
  type PodStory,
  podStory,
  storyImage,
  storyObjects,
  storyPrograms,
} from '../support/side-by-side/pod-stories.js';
import type { Side } from '../support/side-by-side/side.js';
import { eventually } from '../support/slipway.js';

/** `SLIPWAY_STORIES=100` plays more. */
const stories = Number(process.env.SLIPWAY_STORIES ?? 8);
const atOnce = 8;
/** How often both sides are compared, and for how long they may differ after an act. */
const [lookMs, patienceMs] = [1_500, 60_000];
const namespace = 'stories';
const programs = process.env.SLIPWAY_REAL_KUBERNETES ?? '';

/** A pod that is played, and how far. */
interface Played {
  readonly name: string;
  readonly story: PodStory;
  readonly toDo: (readonly string[])[];
  readonly done: string[];
  untilMs: number;
  /** What the real side said of it at the last look. */
  before: string;
}

// Generated pods, beside a kubelet of Kubernetes: after each act both sides come to say the same of them.
test('simulated kubelets come to say of pods what a kubelet says', { timeout: 0 }, async (context) => {
  for (const part of ['real Kubernetes', 'kubectl', 'a real kubelet'] as const) needs(context, part);
  await using kubernetes = await realKubernetes(programs);
  await using node = await realNode(kubernetes, programs);
  await using cluster = await bareCluster({ nodes: 1, version: `1.${kubernetes.minor}` });
  const real: Side = kubernetes;
  const ours: Side = { kubectl: (words, stdin) => cluster.kubectl(words, stdin && JSON.stringify(stdin)) };
  const [, image = '', tag = ''] = /([^/]*):(.*)$/.exec(storyImage) ?? [];
  const files = storyPrograms.map((name) => `/bin/${name}`);
  await node.registry.push(image, { tag, program: hostPrograms(files, ['/bin/sh']) });
  await Promise.all([real, ours].map(prepare));

  const drawn = fc.sample(podStory, { numRuns: stories, seed: Number(process.env.SLIPWAY_SEED) });
  const waiting = drawn.map((story, index) => aPlayed(`pod-${index}`, story));
  const playing: Played[] = [];
  const found: string[] = [];
  while (waiting.length + playing.length > 0) {
    const started = waiting.splice(0, atOnce - playing.length);
    playing.push(...started);
    for (const pod of started) {
      const { metadata, spec } = pod.story.pod;
      const object = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: pod.name }, spec };
      await act(pod, ['create', '-f', '-'], object);
    }
    await setTimeout(lookMs);
    const [theirs, own] = await Promise.all([
      comparablePods(real, namespace, node.name),
      comparablePods(ours, namespace, 'n1'),
    ]);
    for (const pod of [...playing]) {
      const isOver = await look(pod, theirs.get(pod.name), own.get(pod.name));
      if (isOver) playing.splice(playing.indexOf(pod), 1);
    }
  }
  expect(found.join('\n\n')).toBe('');

  /** Goes on with a pod of which both say the same. Whether nothing is left to do with it. */
  async function look(pod: Played, their?: ComparablePod, mine?: ComparablePod): Promise<boolean> {
    const text = JSON.stringify(their);
    const isAtRest = pod.before === text;
    pod.before = text;
    const isAlike = text === JSON.stringify(mine);
    if (!(isAlike && isAtRest) && Date.now() < pod.untilMs) return false;
    // What fails again and again is not in the same state at both when it is resized or deleted, nor what waits for volumes.
    const isSteady = !/"ended"/.test(text);
    const isResizable = isSteady && /"phase":"Running"/.test(text);
    const may: Readonly<Record<string, boolean>> = { patch: isResizable, delete: isSteady };
    const next = isAlike ? pod.toDo.splice(0).filter(([verb = '']) => may[verb] ?? true) : [];
    const [words, ...later] = next;
    pod.toDo.push(...later);
    if (words) await act(pod, words);
    else await end(pod, isAlike ? [] : differences(their, mine));
    return words === undefined;
  }

  async function act(pod: Played, words: readonly string[], stdin?: object): Promise<void> {
    const said = words.map((word) => (word === 'POD' ? pod.name : word));
    pod.done.push(`${said.join(' ')} ${stdin ? JSON.stringify(stdin) : ''}`);
    pod.untilMs = Date.now() + patienceMs;
    pod.before = '';
    const [one, other] = await Promise.all([real, ours].map((side) => inNamespace(side, said, stdin)));
    expect(other?.code, `${pod.done.join('\n')}\n${one?.stderr}\n${other?.stderr}`).toBe(one?.code);
  }

  async function end(pod: Played, differing: readonly string[]): Promise<void> {
    if (differing.length > 0) found.push([...pod.done, ...differing].join('\n'));
    const freed = JSON.stringify({ metadata: { finalizers: null } });
    for (const side of [real, ours]) {
      await inNamespace(side, ['delete', 'pod', pod.name, '--wait=false', '--grace-period=1']);
      await inNamespace(side, ['patch', 'pod', pod.name, '--type=merge', '-p', freed]);
    }
  }
});

function aPlayed(name: string, story: PodStory): Played {
  return { name, story, toDo: [...story.acts], done: [], untilMs: 0, before: '' };
}

function inNamespace(side: Side, words: readonly string[], stdin?: object) {
  return side.kubectl(['-n', namespace, ...words], stdin);
}

/** Makes what pods refer to, and has the node pull their image. */
async function prepare(side: Side): Promise<void> {
  await side.kubectl(['create', 'namespace', namespace]);
  for (const what of ['serviceaccount/default', 'configmap/kube-root-ca.crt'])
    await eventually(what, async () => (await inNamespace(side, ['get', what])).code === 0);
  for (const object of storyObjects) await inNamespace(side, ['create', '-f', '-'], object);
  await inNamespace(side, ['run', 'first', `--image=${storyImage}`, '--restart=Never', '--command', '--', 'true']);
  const phase = ['get', 'pod', 'first', '-o', 'jsonpath={.status.phase}'];
  await eventually('the image is there', async () => (await inNamespace(side, phase)).stdout === 'Succeeded', 60_000);
}
