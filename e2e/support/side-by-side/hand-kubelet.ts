import type { Side } from './side.js';

/** Pods that say so are scheduled and run by hand, at both sides in the same way. */
export const handScheduler = 'by-hand';
const beatMs = 8_000;
const roundMs = 300;

interface HandPod {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly schedulerName: string; readonly nodeName?: string; readonly restartPolicy: string };
  readonly status: { readonly phase: string };
}

/**
 * Runs nodes of a cluster by hand: binds pods of `handScheduler` to the first node, and reports at once the status that a
 * kubelet would report in the end. Pods that are never started again succeed; others run and are ready.
 */
export async function handKubelet(side: Side, nodeNames: readonly string[] = ['hand']): Promise<AsyncDisposable> {
  let stopped = false;
  let addresses = 0;
  for (const name of nodeNames) {
    const metadata = { name, labels: { 'kubernetes.io/hostname': name } };
    await side.kubectl(['create', '-f', '-'], { apiVersion: 'v1', kind: 'Node', metadata });
  }
  const patch = (words: readonly string[], status: object) =>
    side.kubectl(['patch', ...words, '--subresource=status', '-p', JSON.stringify({ status })]);
  const beat = async () => {
    const status = nodeStatus(new Date().toISOString().replace(/\.\d+/, ''));
    await Promise.all(nodeNames.map((name) => patch(['node', name], status)));
  };

  async function look({ metadata: { namespace, name, deletionTimestamp }, spec, status }: HandPod): Promise<void> {
    const pod = ['pod', name, '-n', namespace];
    if (!spec.nodeName) {
      if (deletionTimestamp) return;
      const target = { apiVersion: 'v1', kind: 'Node', name: nodeNames[0] };
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target };
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
      await side.kubectl(['create', '--raw', path, '-f', '-'], binding);
    } else if (deletionTimestamp) await side.kubectl(['delete', ...pod, '--grace-period=0', '--force', '--wait=false']);
    else if (status.phase === 'Pending') await patch(pod, podStatus(spec.restartPolicy === 'Never', ++addresses));
  }

  const work = async () => {
    for (let beatenMs = 0; !stopped; ) {
      if (Date.now() > beatenMs + beatMs) {
        await beat();
        beatenMs = Date.now();
      }
      const { stdout } = await side.kubectl(['get', 'pods', '-A', '-o', 'json']);
      const { items } = JSON.parse(stdout) as { items: HandPod[] };
      const isOurs = ({ spec }: HandPod) =>
        spec.schedulerName === handScheduler || nodeNames.includes(spec.nodeName ?? '');
      await Promise.all(items.filter(isOurs).map(look));
      await new Promise((resolve) => setTimeout(resolve, roundMs));
    }
  };
  const working = work();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      await working;
    },
  };
}

function nodeStatus(lastHeartbeatTime: string): object {
  const size = { cpu: '64', memory: '64Gi', pods: '500' };
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'by hand', lastHeartbeatTime };
  return { capacity: size, allocatable: size, conditions: [ready] };
}

function podStatus(ends: boolean, address: number): object {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '');
  const podIP = `10.1.${Math.floor(address / 200)}.${1 + (address % 200)}`;
  const isReady = ends ? 'False' : 'True';
  const conditions = [
    ...['Initialized', 'PodScheduled'].map((type) => ({ type, status: 'True', lastTransitionTime })),
    ...['Ready', 'ContainersReady'].map((type) => ({ type, status: isReady, lastTransitionTime })),
  ];
  return { phase: ends ? 'Succeeded' : 'Running', conditions, podIP, podIPs: [{ ip: podIP }] };
}
