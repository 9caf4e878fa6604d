import { supportedVersions } from '@slipway/api-machinery/schema/supported-versions';
import { ClusterStartError } from './cluster-start-error.js';

/** Refuses a version of Kubernetes that an API server cannot be. @throws ClusterStartError BadOption */
export function requireSupported(version: string): void {
  if (supportedVersions.includes(version)) return;
  const message = `${JSON.stringify(version)} is not a Kubernetes version that this cluster can be`;
  throw new ClusterStartError('BadOption', message, `choose one of ${supportedVersions.join(', ')}`);
}

/** Refuses what is not major and minor of a Kubernetes version: kubelets may be older. @throws ClusterStartError BadOption */
export function requireVersion(version: string): void {
  if (/^1\.\d{1,3}$/.test(version)) return;
  const message = `${JSON.stringify(version)} is not a Kubernetes version`;
  throw new ClusterStartError('BadOption', message, 'name major and minor, such as 1.37');
}
