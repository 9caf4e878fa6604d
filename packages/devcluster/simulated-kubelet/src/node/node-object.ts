import { createHash } from 'node:crypto';
import { timestamp } from '@slipway/kube';
import type { Node, NodeCondition, NodeStatus, Taint } from '@slipway/kube-objects/kinds/api/nodes';
import { declaredFeatures } from './declared-features.js';
import { allocatableOf, type NodeCapacity } from './node-capacity.js';
import { nodeAddress, podRange } from './pod-addresses.js';

/** A simulated node, as it is asked for. */
export interface NodeSpec extends NodeCapacity {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** What its kubelet says it is, for example `v1.33.4`; the version of the cluster when absent. */
  readonly kubeletVersion?: string;
  /** Where its kubelet serves pages; 10250, where no server listens, when absent. */
  readonly kubeletPort?: number;
}

/** How long kubelets keep Secrets and ConfigMaps that they have read, in seconds: the longer, the more nodes there are. */
const secondsToKeep = [
  { upTo: 100, seconds: 0 },
  { upTo: 500, seconds: 15 },
  { upTo: 1_000, seconds: 30 },
  { upTo: 2_000, seconds: 60 },
  { upTo: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** The object a kubelet registers. `nodeNumber` counts from 0 and gives the node its addresses. */
export function nodeObject(
  spec: NodeSpec,
  { nodeNumber, fleetSize }: { readonly nodeNumber: number; readonly fleetSize: number },
  kubeletVersion: string,
  nowMs: number,
): Node {
  const kept = secondsToKeep.find(({ upTo }) => fleetSize <= upTo)?.seconds ?? 0;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: spec.name,
      labels: labelsOf(spec),
      annotations: { 'node.alpha.kubernetes.io/ttl': String(kept) },
    },
    spec: {
      podCIDR: podRange(nodeNumber),
      podCIDRs: [podRange(nodeNumber)],
      providerID: `slipway://${spec.name}`,
      ...(spec.taints && { taints: spec.taints }),
    },
    status: nodeStatus({ spec, isShortOfMemory: false }, nodeNumber, kubeletVersion, undefined, nowMs),
  };
}

/** The labels a kubelet sets on its own node, and those asked for. */
export function labelsOf({ name, labels }: NodeSpec): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': architecture,
    ...labels,
  };
}

/** Computes the status that a kubelet reports for its node. A condition that still holds keeps its transition time. */
export function nodeStatus(
  { spec, isShortOfMemory }: { readonly spec: NodeSpec; readonly isShortOfMemory: boolean },
  nodeNumber: number,
  kubeletVersion: string,
  before: NodeStatus | undefined,
  nowMs: number,
): NodeStatus {
  const { name } = spec;
  const declared = declaredFeatures(kubeletVersion);
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string): NodeCondition => {
    const known = before?.conditions?.find((each) => each.type === type);
    const since = known?.status === status ? known.lastTransitionTime : timestamp(nowMs);
    return { type, status, lastHeartbeatTime: timestamp(nowMs), lastTransitionTime: since, reason, message };
  };
  return {
    capacity: spec.capacity,
    allocatable: allocatableOf(spec),
    conditions: [
      isShortOfMemory
        ? condition(
            'MemoryPressure',
            'True',
            'KubeletHasInsufficientMemory',
            'kubelet has insufficient memory available',
          )
        : condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
    addresses: [
      { type: 'InternalIP', address: nodeAddress(nodeNumber) },
      { type: 'Hostname', address: name },
    ],
    ...(declared && { declaredFeatures: declared }),
    daemonEndpoints: { kubeletEndpoint: { Port: spec.kubeletPort ?? 10250 } },
    nodeInfo: {
      architecture,
      // The same after every restart: the simulated machine did not reboot.
      bootID: identifier(`boot ${name}`),
      containerRuntimeVersion: 'simulated://1',
      kernelVersion: 'simulated',
      kubeProxyVersion: '',
      kubeletVersion,
      machineID: identifier(`machine ${name}`).replaceAll('-', ''),
      operatingSystem: 'linux',
      osImage: 'Slipway simulated node',
      systemUUID: identifier(`system ${name}`),
    },
  };
}

const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

function identifier(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
