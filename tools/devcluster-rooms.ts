import type { Floors } from './module-graph.js';

/** A room of devcluster: the rooms it may import, and its folders, ground floor first. */
export interface Room {
  readonly mayImport: readonly string[];
  readonly floors: Floors;
}

/**
 * The rooms of devcluster, ground floor first. `api-server` knows no built-in kind: those are handed to it. Controllers,
 * scheduler and kubelets know the API server only through `@slipway/kube`.
 */
export const devclusterRooms: Readonly<Record<string, Room>> = {
  'api-machinery': {
    mayImport: [],
    floors: ['event-loop', 'errors identity json json/write', 'schema', 'apply patch'],
  },
  'object-store': { mayImport: ['api-machinery'], floors: ['.'] },
  cel: {
    mayImport: ['api-machinery'],
    floors: ['values', 'library parser', 'checker', 'evaluator', '.', 'kubernetes'],
  },
  'kube-objects': { mayImport: ['api-machinery'], floors: ['kinds', 'kinds/api', 'node-connection rules'] },
  'api-server': {
    mayImport: ['api-machinery', 'object-store', 'cel', 'kube-objects'],
    floors: [
      'auth/bootstrap auth/rbac flow-control registry',
      'attributes crd request',
      'admission/matching admission/rbac audit auth/node auth/tokens metrics response streaming',
      'admission/policies auth discovery transport watch',
      'admission/webhooks core nonresource openapi',
      'admission write',
      'subresources',
      'verbs',
      '.',
    ],
  },
  'kubernetes-kinds': {
    mayImport: ['api-machinery', 'object-store', 'cel', 'kube-objects', 'api-server'],
    floors: ['admission/limit-range admission/node admission/quota kinds', 'admission'],
  },
  controllers: {
    mayImport: ['api-machinery', 'cel', 'kube-objects'],
    floors: [
      'api-server-lease garbage-collection workloads',
      'ownership',
      'namespace replica-set',
      'account-tokens admission-policy-status certificate-signing cluster-role-aggregation deployment disruption',
      'endpoint-slice flow-schema horizontal-pod-autoscaler node-lifecycle persistent-volume resource-quota',
      'job service-account stateful-set storage-protection',
      'cron-job daemon-set',
      '.',
    ],
  },
  scheduler: {
    mayImport: ['api-machinery', 'kube-objects'],
    floors: ['demand', 'queue view', 'filters', 'scores', 'placement', 'preemption', 'resize', '.'],
  },
  'simulated-kubelet': {
    mayImport: ['api-machinery', 'kube-objects'],
    floors: [
      'allocation node ports simulation static-pods',
      'exec logs settings usage',
      'probes',
      'timeline',
      'pods',
      'eviction images preemption resize status',
      '.',
    ],
  },
  cluster: {
    mayImport: [
      'api-machinery',
      'object-store',
      'kube-objects',
      'api-server',
      'kubernetes-kinds',
      'controllers',
      'scheduler',
      'simulated-kubelet',
    ],
    floors: ['component metrics-api', '.'],
  },
  // What the package exports.
  '.': { mayImport: ['api-machinery', 'object-store', 'simulated-kubelet', 'cluster'], floors: ['.'] },
};
