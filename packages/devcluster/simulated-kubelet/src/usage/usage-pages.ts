import { metricText } from '@slipway/feature-gates/metrics';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { ofSystem, sumOf, usageOf } from './pod-usage.js';

/** A container that runs, what it uses, and for how long it has. */
function* usages(pods: readonly Pod[], nowMs: number) {
  for (const pod of pods) {
    for (const { name, usage } of usageOf(pod)) {
      const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
      const status = [...containerStatuses, ...initContainerStatuses].find((each) => each.name === name);
      const startedAt = status?.state.running?.startedAt ?? '';
      yield { pod, name, usage, startedAt, ranMs: Math.max(0, nowMs - Date.parse(startedAt)) };
    }
  }
}

/** Formats the usage of containers and their node as `/metrics/resource` of a kubelet does. */
export function resourceMetrics(pods: readonly Pod[], nowMs: number): string {
  const samples = [...usages(pods, nowMs)].map(({ pod: { metadata }, name, usage, ranMs }) => ({
    labels: { container: name, namespace: metadata.namespace ?? '', pod: metadata.name ?? '' },
    usage,
    ranMs,
  }));
  const cpu = samples.map(({ labels, usage, ranMs }) => ({ labels, value: coreNanoSeconds(usage, ranMs) / 1e9 }));
  const memory = samples.map(({ labels, usage }) => ({ labels, value: usage.memoryBytes }));
  const all = sumOf([ofSystem, ...samples.map(({ usage }) => usage)]);
  return (
    metricText('container_cpu_usage_seconds_total', 'counter', '[STABLE] Cpu time that the container has used.', cpu) +
    metricText('container_memory_working_set_bytes', 'gauge', '[STABLE] Memory that the container uses.', memory) +
    metricText('node_memory_working_set_bytes', 'gauge', '[STABLE] Memory that the node uses.', [
      { value: all.memoryBytes },
    ]) +
    metricText('resource_scrape_error', 'gauge', '[STABLE] 1 if container metrics could not be had.', [{ value: 0 }])
  );
}

/** `Summary` of a kubelet's stats API, as far as it is simulated: no network, no file systems. */
export function statsSummary(nodeName: string, nodePods: readonly Pod[], nowMs: number): object {
  const time = new Date(nowMs).toISOString();
  const stats = (usage: { milliCpu: number; memoryBytes: number }, ranMs?: number) => ({
    cpu: {
      time,
      usageNanoCores: usage.milliCpu * 1_000_000,
      ...(ranMs !== undefined && { usageCoreNanoSeconds: coreNanoSeconds(usage, ranMs) }),
    },
    memory: { time, usageBytes: usage.memoryBytes, workingSetBytes: usage.memoryBytes },
  });
  const all = [...usages(nodePods, nowMs)];
  const pods = new Set(all.map(({ pod }) => pod));
  return {
    node: { nodeName, ...stats(sumOf([ofSystem, ...all.map(({ usage }) => usage)])) },
    pods: [...pods].map((pod) => {
      const containers = all.filter((each) => each.pod === pod);
      return {
        podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
        startTime: pod.status?.startTime,
        containers: containers.map(({ name, usage, startedAt, ranMs }) => ({
          name,
          startTime: startedAt,
          ...stats(usage, ranMs),
        })),
        ...stats(sumOf(containers.map(({ usage }) => usage))),
      };
    }),
  };
}

/** Thousandths of a cpu, used for so many milliseconds. */
function coreNanoSeconds({ milliCpu }: { readonly milliCpu: number }, ranMs: number): number {
  return milliCpu * ranMs * 1_000;
}
