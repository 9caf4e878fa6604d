import { type DefinedFeature, defineFeature } from './define-feature.js';

/**
 * Our own limit of parallel image pulls, as far as the cluster sets it: while it is on, PullLimits apply to the pull daemons
 * of nodes. A process is a daemon together with the node agent that brings it the limit, and reports off once the daemon
 * has given the limit back and runs as its node configures it. A daemon that was started with
 * `--feature-gates=ParallelImagePullLimit=false` limits nothing, and stays off. PullLimits remain, and
 * apply again when it is on again.
 */
export function parallelImagePullLimit(): DefinedFeature {
  return defineFeature({
    gate: 'ParallelImagePullLimit',
    scope: 'Cluster',
    stages: [{ version: '0.1', stage: 'Alpha', default: true }],
    components: [{ name: 'slipway-pulls', required: true, roster: 'Self' }],
    dynamic: 'Live',
    disable: 'Supported',
  });
}
