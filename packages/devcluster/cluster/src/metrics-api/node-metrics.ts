import { textColumn } from '@slipway/api-server/registry/columns';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { amountsOfList } from '@slipway/kube-objects/rules/amounts';
import { ofSystem, sumOf, usageOf } from '@slipway/simulated-kubelet/usage/pod-usage';
import type { Usage } from '@slipway/simulated-kubelet/usage/simulated-usage';
import { measurementOf, metricsDefinition, usageSchema } from './metrics-definition.js';
import { usageFields } from './pod-usage.js';

/** `NodeMetrics`: what nodes that are ready use, their pods and the system together. */
export const nodeMetrics = metricsDefinition(
  { kind: 'NodeMetrics', plural: 'nodes', namespaced: false },
  {
    schema: { usage: usageSchema },
    columns: [
      textColumn('CPU', 'Cpu in use.', ({ usage }) => usage.cpu),
      textColumn('Memory', 'Memory in use.', ({ usage }) => usage.memory),
    ],
  },
  (reader, _namespace, nowMs) => {
    const byNode = new Map<string, Usage[]>();
    for (const { object } of reader.list('pods', {}).entries) {
      const pod = object as Pod;
      const { nodeName = '' } = pod.spec;
      const usages = byNode.get(nodeName) ?? [];
      byNode.set(nodeName, usages);
      usages.push(...usageOf(pod).map(({ usage }) => usage));
    }
    const nodes = reader.list('nodes', {}).entries.map(({ object }) => object as Node);
    return nodes.filter(isReady).map((node) => {
      const used = sumOf([ofSystem, ...(byNode.get(node.metadata.name ?? '') ?? [])]);
      return { ...measurementOf('NodeMetrics', node, nowMs), usage: usageFields(within(node, used)) };
    });
  },
);

/** A node uses no more than it has. */
function within({ status }: Node, { milliCpu, memoryBytes }: Usage): Usage {
  const capacity = amountsOfList(status?.capacity);
  return {
    milliCpu: Math.min(milliCpu, capacity.get('cpu') ?? milliCpu),
    memoryBytes: Math.min(memoryBytes, capacity.get('memory') ?? memoryBytes),
  };
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}
