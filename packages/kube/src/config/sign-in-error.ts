/** The kubeconfig is usable, but its sign-in method gave no credentials: no plugin, no session, an expired token. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  /** What to do about it. */
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}
