/** How to reach one API server and authenticate to it. */
export interface Access {
  /** `https://host:port`, perhaps with a path. */
  readonly server: string;
  /**
   * The credentials to use now. Called before every request: tokens and certificates may change.
   * @throws SignInError when they cannot be obtained
   */
  credentials(): Promise<Credentials>;
  /** Reports that the server rejected the credentials (401), so that the next call of `credentials` renews them. */
  rejected?(): void;
}

/** Everything is optional: a server may need no authentication. Secrets: never to be logged. */
export interface Credentials {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Host name the server's certificate is checked against, if not that of the address. */
  readonly servername?: string;
  /** Accepts any certificate of the server. */
  readonly insecure?: boolean;
  /** Headers that authenticate the caller. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** URL of the proxy that connections go through. */
  readonly proxy?: string;
}
