import type { BalloonPolicySpec } from '../api/balloon-policy.js';
import { apiVersionOfGroup as apiVersion } from '../api/group.js';
import type { NodeSize, NodeSizeSpec, NodeSizeStatus } from '../api/node-size.js';
import { type NodeView, readNode } from '../nodes/node-view.js';
import { parseAmounts } from '../planner/amounts.js';
import type { Observation } from '../resize/observation.js';
import { type PolicySettings, readPolicy } from '../settings/policy-settings.js';
import { aBalloon } from './a-balloon.js';

/** A node of 16 cores and 64Gi that is ready. */
export function aNode(
  change: { readonly unschedulable?: boolean; readonly ready?: string; readonly kubelet?: string } = {},
): NodeView {
  const { unschedulable = false, ready = 'True', kubelet = 'v1.34.0' } = change;
  const amounts = { cpu: '16', memory: '64Gi' };
  return readNode({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    spec: { unschedulable },
    status: {
      capacity: amounts,
      allocatable: amounts,
      nodeInfo: { kubeletVersion: kubelet },
      conditions: [{ type: 'Ready', status: ready }],
    },
  });
}

export function aSize(spec: NodeSizeSpec, status: NodeSizeStatus = {}, metadata: object = {}): NodeSize {
  return { apiVersion, kind: 'NodeSize', metadata: { name: 'n1', generation: 1, ...metadata }, spec, status };
}

/** Settings of a policy, by default with all that it leaves out. */
export function aPolicy(spec: BalloonPolicySpec = {}): PolicySettings {
  return readPolicy({ apiVersion, kind: 'BalloonPolicy', metadata: { name: 'all' }, spec });
}

/** A node on which a balloon runs and nothing else. */
export function anObservation(change: Partial<Observation> & { readonly size: NodeSize }): Observation {
  return {
    node: aNode(),
    policy: aPolicy(),
    pod: aBalloon(),
    requested: parseAmounts({}),
    awaited: false,
    heldMs: 0,
    rival: undefined,
    recommended: undefined,
    quietMs: 0,
    memoryStuck: false,
    actuator: 'none',
    ...change,
  };
}
