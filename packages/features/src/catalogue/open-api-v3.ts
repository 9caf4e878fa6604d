import { type DefinedFeature, defineFeature } from './define-feature.js';

/**
 * The published OpenAPI v3 documents of API servers: a feature without state, the
 * second story of KEP-3920. Stages are those up to 1.26; Kubernetes has locked and
 * dropped the gate since, so only clusters that still have it can turn it.
 */
export function openApiV3(options: { readonly dynamic?: 'Never' | 'Live' } = {}): DefinedFeature {
  return defineFeature({
    gate: 'OpenAPIV3',
    scope: 'Cluster',
    stages: [
      { version: '1.23', stage: 'Alpha', default: false },
      { version: '1.24', stage: 'Beta', default: true },
    ],
    components: [{ name: 'kube-apiserver', required: true, roster: 'APIServers' }],
    dynamic: options.dynamic ?? 'Never',
    disable: 'Supported',
  });
}
