/** No kubeconfig, or one that cannot be used. The message names the file and the entry. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}
