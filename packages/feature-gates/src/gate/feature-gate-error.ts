/** Settings that a process must not start with, for example a bad `--feature-gates`. */
export class FeatureGateError extends Error {
  override readonly name = 'FeatureGateError';
  /** Each complaint on its own, in upstream's words. */
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
    this.errors = errors;
  }
}
