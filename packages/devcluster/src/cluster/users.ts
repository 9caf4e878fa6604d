import type { User } from '../api-server/request.js';

/** Who the administrator's certificate says its holder is. */
export const administrator: User = { name: 'slipway-admin', groups: ['system:masters', 'system:authenticated'] };

/** Who each component is to the API server. */
export const componentUsers = {
  apiServer: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
  controllerManager: { name: 'system:kube-controller-manager', groups: ['system:authenticated'] },
  scheduler: { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
  /** All kubelets share one connection. */
  kubelets: { name: 'system:node', groups: ['system:nodes', 'system:authenticated'] },
} as const satisfies Record<string, User>;
