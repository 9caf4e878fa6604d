import { ClusterStartError } from './cluster-start-error.js';

/** Refuses what is not major and minor of a Kubernetes version. @throws ClusterStartError BadOption */
export function requireVersion(version: string): void {
  if (/^1\.\d{1,3}$/.test(version)) return;
  const message = `${JSON.stringify(version)} is not a Kubernetes version`;
  throw new ClusterStartError('BadOption', message, 'name major and minor, such as 1.34');
}
