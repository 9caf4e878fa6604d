// @ts-check
/** @typedef {import('./operators.mjs').Software} Software */

/**
 * Clients of others that are tried on a cluster of `slipway up`.
 * @type {readonly Software[]}
 */
export const clients = [
  { name: 'helm-3', module: 'helm.sh/helm/v3', version: '3.22.0', program: 'cmd/helm' },
  { name: 'helm-4', module: 'helm.sh/helm/v4', version: '4.3.1', program: 'cmd/helm' },
  { name: 'kustomize', module: 'sigs.k8s.io/kustomize/kustomize/v5', version: '5.8.2', program: '.' },
];
