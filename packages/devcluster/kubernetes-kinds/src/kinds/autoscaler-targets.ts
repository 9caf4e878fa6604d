import type { MetricFields, MetricStatusFields, MetricTargetFields } from '@slipway/kube-objects/kinds/autoscaler';

interface AmountFields {
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

const sourceOf: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

/** TARGETS of an autoscaler, each metric as it is and as it shall be: `cpu: 42%/80%`, `12/10 (avg)`. */
export function metricTexts(metrics: readonly MetricFields[], statuses: readonly MetricStatusFields[]): string[] {
  return metrics.map((metric, index) => {
    const source = sourceOf[metric.type ?? ''] ?? '';
    const { name, target = {} } =
      (metric as Record<string, { name?: string; target?: MetricTargetFields }>)[source] ?? {};
    const current = (statuses[index]?.[source] as { current?: AmountFields } | undefined)?.current ?? {};
    const prefix = name === undefined ? '' : `${name}: `;
    if (target.averageUtilization !== undefined) {
      const found = current.averageUtilization === undefined ? '<unknown>' : `${current.averageUtilization}%`;
      return `${prefix}${found}/${target.averageUtilization}%`;
    }
    if (target.averageValue !== undefined) {
      const suffix = name === undefined && metric.type !== 'Pods' ? ' (avg)' : '';
      return `${prefix}${current.averageValue ?? '<unknown>'}/${target.averageValue}${suffix}`;
    }
    return `${prefix}${current.value ?? '<unknown>'}/${target.value ?? '<auto>'}`;
  });
}
