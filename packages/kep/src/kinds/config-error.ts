/** A configuration cannot be used. The message names the file and the line where they are known. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}
