import type { KubeObject } from '@slipway/kube';
import type { Deployment } from '@slipway/kube-objects/kinds/api/workloads';

export function aConfigMap(name: string, namespace = 'default'): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
}

export function aDeployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template, strategy: { type: 'RollingUpdate' } } as const;
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' }, spec };
}
