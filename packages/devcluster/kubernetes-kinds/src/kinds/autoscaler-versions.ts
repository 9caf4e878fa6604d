import type { KubeObject } from '@slipway/kube';
import type { MetricFields, MetricStatusFields } from '@slipway/kube-objects/kinds/autoscaler';

const v1 = 'autoscaling/v1';
const v2 = 'autoscaling/v2';

/** Annotations of v1 for what only v2 has fields for. */
const annotations = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

/** An autoscaler as autoscaling/v1 shows it: the average use of cpu as a field, the rest in annotations. */
export function toV1(autoscaler: KubeObject): KubeObject {
  if (autoscaler.apiVersion === v1) return autoscaler;
  const { metrics, behavior, ...spec } = autoscaler.spec ?? {};
  const { currentMetrics, conditions, ...status } = autoscaler.status ?? {};
  const cpu = (metrics ?? []).find(isCpuUtilization);
  const found = (currentMetrics ?? []).find(isCpuStatus);
  const others = (metrics ?? []).filter((metric: MetricFields) => metric !== cpu);
  const otherStatuses = (currentMetrics ?? []).filter((metric: MetricStatusFields) => metric !== found);
  const utilization = cpu?.resource?.target?.averageUtilization;
  const current = cpuOf(found)?.averageUtilization;
  return {
    ...autoscaler,
    apiVersion: v1,
    metadata: withTexts(autoscaler.metadata, {
      metrics: others,
      currentMetrics: otherStatuses,
      conditions: conditions ?? [],
      behavior,
    }),
    spec: { ...spec, ...(utilization !== undefined && { targetCPUUtilizationPercentage: utilization }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
    },
  };
}

/** An autoscaler of autoscaling/v1 as one of v2. Annotations that cannot be read count as absent. */
export function fromV1(autoscaler: KubeObject): KubeObject {
  if (autoscaler.apiVersion === v2) return autoscaler;
  const { targetCPUUtilizationPercentage: utilization, ...spec } = autoscaler.spec ?? {};
  // Only v1 says that there are no pods.
  const { currentCPUUtilizationPercentage: current, currentReplicas, ...status } = autoscaler.status ?? {};
  const { texts, metadata } = withoutTexts(autoscaler.metadata);
  const metrics = [
    ...listIn(texts.metrics),
    ...(utilization === undefined
      ? []
      : [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } },
          },
        ]),
  ];
  const currentMetrics = [
    ...listIn(texts.currentMetrics),
    ...(current === undefined
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }]),
  ];
  const conditions = listIn(texts.conditions);
  const behavior = parsed(texts.behavior);
  return {
    ...autoscaler,
    apiVersion: v2,
    metadata,
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...(typeof behavior === 'object' && behavior !== null && { behavior }),
    },
    status: {
      ...(currentReplicas && { currentReplicas }),
      ...status,
      currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
      ...(conditions.length > 0 && { conditions }),
    },
  };
}

function isCpuUtilization({ type, resource }: MetricFields): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target?.averageUtilization !== undefined;
}

function isCpuStatus(metric: MetricStatusFields): boolean {
  return metric.type === 'Resource' && cpuOf(metric)?.averageUtilization !== undefined;
}

function cpuOf(metric: MetricStatusFields | undefined) {
  const resource = metric?.resource as { name?: string; current?: { averageUtilization?: number } } | undefined;
  return resource?.name === 'cpu' ? resource.current : undefined;
}

function withTexts(metadata: KubeObject['metadata'], values: Readonly<Record<keyof typeof annotations, unknown>>) {
  const said = Object.entries(values)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [annotations[name as keyof typeof annotations], JSON.stringify(value)]);
  return said.length === 0
    ? metadata
    : { ...metadata, annotations: { ...metadata.annotations, ...Object.fromEntries(said) } };
}

function withoutTexts(metadata: KubeObject['metadata']) {
  const texts: Partial<Record<keyof typeof annotations, string>> = {};
  const kept = { ...metadata.annotations };
  for (const [name, key] of Object.entries(annotations) as [keyof typeof annotations, string][]) {
    const text = kept[key];
    if (text === undefined) continue;
    texts[name] = text;
    delete kept[key];
  }
  const { annotations: _, ...rest } = metadata;
  return { texts, metadata: Object.keys(kept).length > 0 ? { ...rest, annotations: kept } : rest };
}

function listIn(text: string | undefined): readonly object[] {
  const value = parsed(text);
  return Array.isArray(value) ? value : [];
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
