import { type EventRecorder, Kube, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { balloonContainer, keys } from '../api/group.js';
import { NodeSize } from '../api/node-size.js';
import { Node, readNode } from '../nodes/node-view.js';
import { Pod } from '../pods/pod.js';
import { FaultyTransport } from '../testing/faulty-transport.js';
import { NodeMemories } from './node-memory.js';
import { runStep } from './run-step.js';
import type { Step } from './step.js';

const taint = { key: keys.resizing, value: '1-old', effect: 'NoSchedule' };
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: { taints: [taint] } };
const containers = [{ name: balloonContainer, image: 'old' }];
const metadata = { namespace: 'kube-system', name: 'b', uid: 'p1' };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } };
const size: NodeSize = {
  apiVersion: 'balloons.slipway.dev/v1alpha1',
  kind: 'NodeSize',
  metadata: { name: 'n1' },
  spec: {},
};

/** Runs a step, and returns what it did in order. */
async function effectsOf(step: Step): Promise<readonly string[]> {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  api.seed(Node, node);
  api.seed(Pod, pod);
  api.seed(NodeSize, size);
  const transport = new FaultyTransport(api, clock);
  const kube = new Kube(transport, { clock });
  const effects: string[] = [];
  transport.beforeWrite = ({ path }) => void effects.push(path.split('?')[0]?.split('/').slice(-2).join('/') ?? '');
  const memories = new NodeMemories(() => {});
  const update = memories.update.bind(memories);
  memories.update = (name, change) => {
    effects.push(`remember ${Object.keys(change)}`);
    update(name, change);
  };
  memories.slots.release = () => void effects.push('release slot');
  const events = { event: () => void effects.push('event') } as unknown as EventRecorder;
  const context = { signal: new AbortController().signal, now: () => clock.now(), log: silentLog, events };
  const [stored] = api.stored(NodeSize) as NodeSize[];
  const target = { size: stored ?? size, node: readNode(node), pod: api.stored(Pod)[0] };
  await runStep(step, target, { kube, trace: undefined, memories, context });
  return effects;
}

test('runStep() carries out a step in the order of its fields, the status before what is remembered and the fence', async () => {
  const step: Step = {
    close: { kind: 'fence', value: '1-new', untilMs: 1 },
    releaseSlot: true,
    remember: { closedSinceMs: 1 },
    status: { policy: 'all' },
    foreignResize: 'resized',
    open: { isSized: true },
    image: 'new',
  };
  expect(await effectsOf(step)).toEqual([
    'pods/b',
    'nodes/n1',
    'event',
    'n1/status',
    'remember reportedAtMs',
    'remember closedSinceMs',
    'release slot',
    'nodes/n1',
  ]);
});

test('runStep() does nothing for absent fields, and writes no status that is stored already', async () => {
  expect(await effectsOf({})).toEqual([]);
  expect(await effectsOf({ status: {} })).toEqual([]);
});
