import type { NodeConnection } from './node-connection.js';

/** The connection of a server without nodes: no kubelet answers. */
export const noNodes: NodeConnection = {
  answers: () => false,
  metricsOf: () => '',
  resourceMetrics: () => '',
  statsSummary: () => ({}),
  loggedRun: () => 'no kubelet answers',
  logOf: () => [],
  exec: refuse,
  attach: refuse,
  connect: refuse,
};

async function refuse(): Promise<never> {
  throw new Error('no kubelet answers');
}
