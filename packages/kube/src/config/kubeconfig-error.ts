/** No kubeconfig, or one that cannot be used. The message names the file and the entry. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  /** What to do about it, where that is known. */
  readonly hint: string | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly hint?: string }) {
    super(message, options);
    this.hint = options?.hint;
  }
}
