import { accountUser } from '@slipway/api-machinery/identity/service-account';
import type { User } from '@slipway/api-machinery/identity/user';
import { nodeUser } from '@slipway/kube-objects/rules/node-name';

/** Who the administrator's certificate says its holder is. */
export const administrator: User = { name: 'slipway-admin', groups: ['system:masters', 'system:authenticated'] };

/** Who each component is to the API server. */
export const componentUsers = {
  apiServer: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
  controllerManager: { name: 'system:kube-controller-manager', groups: ['system:authenticated'] },
  scheduler: { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
  /** What all kubelets hear they hear through one connection; what each says it says as its node. */
  kubelets: { name: 'system:slipway:kubelets', groups: ['system:authenticated'] },
  kubelet: nodeUser,
  controller: (name: string): User => accountUser('kube-system', name),
} as const;
