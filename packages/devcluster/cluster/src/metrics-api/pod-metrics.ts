import { textColumn } from '@slipway/api-server/registry/columns';
import { addQuantity, formatQuantity, parseQuantity, quantity } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { usageOf } from '@slipway/simulated-kubelet/usage/pod-usage';
import { measurementOf, metricsDefinition, type UsageFields, usageSchema } from './metrics-definition.js';
import { usageFields } from './pod-usage.js';

/** `PodMetrics`: what the containers of pods that run use. */
export const podMetrics = metricsDefinition(
  { kind: 'PodMetrics', plural: 'pods', namespaced: true },
  {
    schema: {
      containers: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' }, usage: usageSchema } },
      },
    },
    columns: [
      textColumn('CPU', 'Cpu in use.', ({ containers }) => totalOf(containers, 'cpu')),
      textColumn('Memory', 'Memory in use.', ({ containers }) => totalOf(containers, 'memory')),
    ],
  },
  (reader, namespace, nowMs) =>
    reader.list('pods', namespace === '' ? {} : { namespace }).entries.flatMap(({ object }) => {
      const containers = usageOf(object as Pod);
      if (containers.length === 0) return [];
      const fields = containers.map(({ name, usage }) => ({ name, usage: usageFields(usage) }));
      return [{ ...measurementOf('PodMetrics', object, nowMs), containers: fields }];
    }),
);

function totalOf(containers: readonly { readonly usage: UsageFields }[], resource: keyof UsageFields): string {
  const amounts = containers.map(({ usage }) => parseQuantity(usage[resource]));
  const [first = quantity(0), ...others] = amounts;
  return formatQuantity(others.reduce(addQuantity, first));
}
