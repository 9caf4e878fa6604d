import { type KubeObject, slipwayLabels } from '@slipway/kube';
import { installation, partNames } from 'slipway/installation';
import { ruleGroups } from './rules.js';

/** Returns the objects of the Prometheus operator that watch an installation in a namespace. */
export function monitoringObjects(namespace: string): readonly KubeObject[] {
  const apiVersion = 'monitoring.coreos.com/v1';
  const metadata = { name: 'slipway', namespace, labels: slipwayLabels() };
  return [
    { apiVersion, kind: 'PodMonitor', metadata, spec: podMonitorSpec() },
    { apiVersion, kind: 'PrometheusRule', metadata, spec: { groups: ruleGroups } },
  ];
}

/**
 * Selects the Deployments. Node agents listen at 127.0.0.1 of their node only, and the pull daemon is not a pod. Labels of
 * the metrics win, because `namespace` is the namespace of the feature, not of the pod.
 */
function podMonitorSpec() {
  const objects = installation({ parts: partNames, image: 'any', guards: true });
  const pods = objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template);
  const names = pods.map(({ metadata }) => metadata.labels['app.kubernetes.io/name']);
  const ports = new Set<string>(
    pods.flatMap(({ spec }) => spec.containers[0].ports.map((port: { name: string }) => port.name)),
  );
  return {
    selector: { matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: names }] },
    podMetricsEndpoints: [...ports].map((port) => ({ port, path: '/metrics', interval: '30s', honorLabels: true })),
  };
}
