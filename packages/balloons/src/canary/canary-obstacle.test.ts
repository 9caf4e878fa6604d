import { expect, test } from 'vitest';
import { readNode } from '../nodes/node-view.js';
import { parseAmounts } from '../planner/amounts.js';
import { aBalloon } from '../testing/a-balloon.js';
import { type CanaryGround, canaryObstacle } from './canary-obstacle.js';

const smallest = parseAmounts({ cpu: '0', memory: '8Mi' });
const aPod = (priority: number, phase = 'Running') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'web' },
  spec: { priority },
  status: { phase },
});

function ground(change: Partial<CanaryGround> = {}): CanaryGround {
  const conditions = [{ type: 'Ready', status: 'True' }];
  return {
    node: readNode({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status: { conditions } }),
    balloon: aBalloon({ allocated: smallest }),
    limits: { minBalloon: smallest },
    free: parseAmounts({ cpu: '4', memory: '8Gi' }),
    pods: [aPod(2_000_001_000), aPod(0, 'Succeeded')],
    ...change,
  };
}

test.each<[string, Partial<CanaryGround>, string | undefined]>([
  ['a node with critical pods only', {}, undefined],
  [
    'a node that is not ready',
    { node: readNode({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }) },
    'the node is not ready',
  ],
  ['a node without a balloon', { balloon: undefined }, 'no balloon runs on the node'],
  ['a node that runs a workload', { pods: [aPod(0)] }, 'pod default/web runs there'],
  ['a node that is made smaller', { balloon: aBalloon() }, 'its balloon hides something'],
  ['a node that is nearly full', { free: parseAmounts({ cpu: '399m' }) }, 'less than 400m cpu is free'],
])('canaryObstacle() of %s', (_what, change, message) => {
  const obstacle = canaryObstacle(ground(change));
  if (message === undefined) expect(obstacle).toBeUndefined();
  else expect(obstacle?.message).toContain(message);
});
