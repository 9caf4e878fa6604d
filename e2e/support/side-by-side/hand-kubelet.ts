import type { Side } from './side.js';

/** Pods that say so are scheduled and run by hand, at both sides in the same way. */
export const handScheduler = 'by-hand';
const nodeName = 'hand';
const beatMs = 8_000;
const roundMs = 300;

interface HandPod {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly schedulerName: string; readonly nodeName?: string; readonly restartPolicy: string };
  readonly status: { readonly phase: string };
}

/**
 * One node of a cluster, run by a test: binds the pods for it and says of each, at once, what a kubelet would say in the end.
 * Those that are never started again succeed; others run and are ready.
 */
export async function handKubelet(side: Side): Promise<AsyncDisposable> {
  let stopped = false;
  let addresses = 0;
  await side.kubectl(['create', '-f', '-'], { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName } });
  const patch = (words: readonly string[], status: object) =>
    side.kubectl(['patch', ...words, '--subresource=status', '-p', JSON.stringify({ status })]);
  const beat = () => patch(['node', nodeName], nodeStatus(new Date().toISOString().replace(/\.\d+/, '')));

  async function look({ metadata: { namespace, name, deletionTimestamp }, spec, status }: HandPod): Promise<void> {
    const pod = ['pod', name, '-n', namespace];
    if (!spec.nodeName) {
      if (deletionTimestamp) return;
      const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
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
      await Promise.all(items.filter(({ spec }) => spec.schedulerName === handScheduler).map(look));
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
