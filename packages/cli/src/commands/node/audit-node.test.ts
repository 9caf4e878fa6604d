import {
  type BalloonPolicy,
  nodeNumbers,
  nothing,
  type ObservedNode,
  parseAmounts,
  readBalloonPod,
  readNode,
} from '@slipway/balloons';
import { expect, test } from 'vitest';
import { auditNode } from './audit-node.js';

const nowMs = Date.parse('2026-11-22T00:10:00Z');
const resourcesOf = (cpu: string) => ({ requests: { cpu, memory: '8Mi' } });

/** A node of 8 cores whose balloon asks for and has so many. */
function aNode(
  said: {
    desired?: string;
    allocated?: string;
    requested?: string;
    granted?: string;
    fencedUntil?: string;
    policy?: boolean;
  } = {},
): ObservedNode {
  const { desired = '4', allocated = desired, requested = '1', granted = '4', fencedUntil, policy = true } = said;
  const node = readNode({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', ...(fencedUntil && { annotations: { 'balloons.slipway.dev/fenced-until': fencedUntil } }) },
    status: { allocatable: { cpu: '8', memory: '8Gi' } },
  });
  const container = { name: 'slipway-balloon', resources: resourcesOf(desired) };
  const status = { name: 'slipway-balloon', allocatedResources: resourcesOf(allocated).requests };
  const balloon = readBalloonPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'b' },
    spec: { nodeName: 'n1', containers: [container] },
    status: { containerStatuses: [status] },
  });
  const kind = { apiVersion: 'balloons.slipway.dev/v1alpha1', metadata: { name: 'n1' }, spec: {} };
  return {
    node,
    size: {
      ...kind,
      kind: 'NodeSize',
      status: { actuator: { name: 'a', phase: 'InSync', granted: { cpu: granted } } },
    },
    policy: policy ? ({ ...kind, kind: 'BalloonPolicy' } satisfies BalloonPolicy) : undefined,
    balloon,
    numbers: nodeNumbers(node, balloon, { ...nothing, ...parseAmounts({ cpu: requested }) }),
    pods: [],
  };
}

test.each<[string, Parameters<typeof aNode>[0], string | undefined]>([
  ['a node at rest', {}, undefined],
  ['pods and balloon ask for more than there is', { requested: '5' }, '1 cpu too much'],
  ['a balloon that asks for more than it has', { desired: '6', allocated: '4' }, 'no controller is at work on it'],
  ['a machine smaller than its node', { granted: '2' }, 'pods may use more cpu than the actuator says exists'],
  ['a fence of long ago', { fencedUntil: '2026-11-22T00:00:00Z' }, 'since 2026-11-22T00:00:00.000Z for no reason'],
  ['a fence of just now', { fencedUntil: '2026-11-22T00:09:30Z' }, undefined],
  ['a balloon that no policy knows', { policy: false }, 'pod b'],
])('auditNode() of %s', (_, said, problem) => {
  const problems = auditNode(aNode(said), { events: [], usage: new Map() }, nowMs).filter(
    ({ answer }) => answer === 'no',
  );
  expect(problems.map(({ message }) => message).join('; ')).toContain(problem ?? '');
  expect(problems).toHaveLength(problem === undefined ? 0 : 1);
});
