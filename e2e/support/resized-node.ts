import type { RealKubernetes } from './real-kubernetes.js';

/** What the controller says of a node, as far as tests of real kubelets read it. */
export interface SizedNode {
  /** Whether the status is about the present spec. */
  readonly isObserved: boolean;
  /** What the kubelet has allocated to the balloon. */
  readonly cpu: string;
  readonly conditions: Readonly<Record<string, string>>;
  /** The resize in progress. */
  readonly ticket?: { readonly id: string };
  /** Finished resizes, newest first. */
  readonly history: readonly { readonly id: string; readonly result: string }[];
}

/** Reads the NodeSize of a node. */
export async function sizedNode(real: RealKubernetes, name: string): Promise<SizedNode> {
  const { stdout, stderr } = await real.kubectl(['get', 'nodesize', name, '-o', 'json']);
  if (stdout === '') throw new Error(stderr);
  const { metadata, status } = JSON.parse(stdout) as NodeSize;
  return {
    isObserved: status.observedGeneration === metadata.generation,
    cpu: status.balloon.allocated.cpu,
    conditions: Object.fromEntries(status.conditions.map(({ type, status }) => [type, status])),
    history: status.history ?? [],
    ...(status.resize && { ticket: status.resize }),
  };
}

/** Reads the balloon pod of a cluster with one node, as the kubelet runs it. */
export async function balloonPod(
  real: RealKubernetes,
): Promise<{ readonly uid: string; readonly cpu: string; readonly restarts: number }> {
  const { stdout } = await real.kubectl(['get', 'pods', '-A', '-l', 'balloons.slipway.dev/balloon', '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: Pod[] };
  const [pod] = items;
  const [container] = pod?.status.containerStatuses ?? [];
  if (!pod || !container) throw new Error(`no balloon runs: ${stdout}`);
  return { uid: pod.metadata.uid, cpu: container.resources.requests.cpu, restarts: container.restartCount };
}

interface Pod {
  readonly metadata: { readonly uid: string };
  readonly status: {
    readonly containerStatuses: readonly {
      readonly resources: { readonly requests: { readonly cpu: string } };
      readonly restartCount: number;
    }[];
  };
}

interface NodeSize {
  readonly metadata: { readonly generation: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly balloon: { readonly allocated: { readonly cpu: string } };
    readonly resize?: { readonly id: string };
    readonly history?: SizedNode['history'];
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}
