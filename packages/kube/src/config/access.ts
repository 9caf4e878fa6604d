import type { Agent } from 'node:http';

/** How to reach one API server and prove who asks. */
export interface Access {
  /** `https://host:port`, perhaps with a path. */
  readonly server: string;
  /** What to show at this moment. Asked before every request: tokens and certificates may change. */
  credentials(): Promise<Credentials>;
}

/** Everything is optional: a server may need no proof. Secrets: never to be logged. */
export interface Credentials {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Host name the server's certificate is checked against, if not that of the address. */
  readonly servername?: string;
  /** Takes any certificate for good. */
  readonly insecure?: boolean;
  /** Headers that prove who asks. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Makes the connections, where a proxy is in between. */
  readonly agent?: Agent;
}
