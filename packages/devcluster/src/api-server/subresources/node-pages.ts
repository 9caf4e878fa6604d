import { metricText } from '@slipway/feature-gates/metrics';
import { methodNotSupported, notFound, serviceUnavailable } from '../../api-machinery/errors/status-errors.js';
import { ofSystem } from '../../cluster/metrics-api/node-metrics.js';
import { sumOf, usageOf } from '../../cluster/metrics-api/pod-usage.js';
import type { Pod } from '../../kube-objects/kinds/api/pods.js';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer, pageNotFound, textAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { kubeletRefuses } from './container-view.js';
import { named } from './proxy-target.js';

/**
 * What a kubelet answers at its port: `/healthz`, `/pods`, `/metrics`, `/metrics/resource` and `/stats/summary`. Undefined for an
 * empty path: there is nothing that could be meant by it.
 * @throws StatusError NotFound, BadRequest, or ServiceUnavailable when nobody listens there
 */
export function nodePage(core: Core, { definition, name: id, request }: Call, path: string): ApiAnswer | undefined {
  const { name, port } = named(id, 'node');
  const node = core.store.get('nodes', '', name)?.object;
  if (!node) throw notFound(definition, name);
  const ofKubelet = String(node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250);
  if (!core.nodes.answers(name) || (port !== '' && port !== ofKubelet)) {
    const refusal = kubeletRefuses(core, name).replace(`:${ofKubelet}:`, `:${port || ofKubelet}:`);
    throw serviceUnavailable(`error trying to reach service: ${refusal}`);
  }
  if (path === '') return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw methodNotSupported(definition, request.method.toLowerCase());
  return pages[path.replace(/\/$/, '')]?.(core, name) ?? pageNotFound();
}

const pages: Readonly<Record<string, (core: Core, node: string) => ApiAnswer>> = {
  '/healthz': () => textAnswer(200, 'ok'),
  '/pods': (core, node) => {
    const items = podsOn(core, node);
    return jsonAnswer(200, valuePayload({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items }));
  },
  '/metrics': (core, node) => textAnswer(200, core.nodes.metricsOf(node)),
  '/metrics/resource': (core, node) => textAnswer(200, resourceMetrics(core, node)),
  '/stats/summary': (core, node) => jsonAnswer(200, valuePayload(summary(core, node))),
};

function podsOn({ store }: Core, node: string): readonly Pod[] {
  const all = store.list('pods', {}).entries.map(({ object }) => object as Pod);
  return all.filter(({ spec }) => spec.nodeName === node);
}

/** A container that runs, what it uses, and for how long it has. */
function* usages(core: Core, node: string) {
  for (const pod of podsOn(core, node)) {
    for (const { name, usage } of usageOf(pod)) {
      const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
      const status = [...containerStatuses, ...initContainerStatuses].find((each) => each.name === name);
      const startedAt = status?.state.running?.startedAt ?? '';
      yield { pod, name, usage, startedAt, ranMs: Math.max(0, core.clock.now() - Date.parse(startedAt)) };
    }
  }
}

function resourceMetrics(core: Core, node: string): string {
  const samples = [...usages(core, node)].map(({ pod: { metadata }, name, usage, ranMs }) => ({
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

/** What the node and the containers on it use, as far as it is simulated: no network, no file systems. */
function summary(core: Core, node: string): object {
  const time = new Date(core.clock.now()).toISOString();
  const stats = (usage: { milliCpu: number; memoryBytes: number }, ranMs?: number) => ({
    cpu: {
      time,
      usageNanoCores: usage.milliCpu * 1_000_000,
      ...(ranMs !== undefined && { usageCoreNanoSeconds: coreNanoSeconds(usage, ranMs) }),
    },
    memory: { time, usageBytes: usage.memoryBytes, workingSetBytes: usage.memoryBytes },
  });
  const all = [...usages(core, node)];
  const pods = new Set(all.map(({ pod }) => pod));
  return {
    node: { nodeName: node, ...stats(sumOf([ofSystem, ...all.map(({ usage }) => usage)])) },
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
