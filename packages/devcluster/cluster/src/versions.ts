/** Versions of Kubernetes that a cluster can be, on their own: whoever only lists them need not load a cluster. */
export { defaultVersion, supportedVersions } from '@slipway/api-machinery/schema/supported-versions';
