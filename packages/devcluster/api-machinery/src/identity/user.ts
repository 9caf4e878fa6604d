/** Who asks: the name and groups that authentication found. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  /** Tells users of one name apart, over time; not every way to sign in knows one. */
  readonly uid?: string;
  /** What else is known, such as the pod that a service account's token was made for. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
