import { type DefinedFeature, defineFeature } from './define-feature.js';

/**
 * Our own limit of parallel image pulls. It takes its number from the command line of
 * the daemon on each node, so it cannot be turned from the API: the third story of
 * KEP-3920. It keeps nothing, so that turning it off leaves nothing behind.
 */
export function parallelImagePullLimit(): DefinedFeature {
  return defineFeature({
    gate: 'ParallelImagePullLimit',
    scope: 'Cluster',
    stages: [{ version: '0.1', stage: 'Alpha', default: true }],
    components: [{ name: 'slipway-pulls', required: true, roster: 'Self' }],
    dynamic: 'Never',
    disable: 'Supported',
  });
}
