import { createHash, timingSafeEqual } from 'node:crypto';

/** Secrets that a signed-in browser presents with every request. */
export interface Session {
  /** Sent as a cookie that scripts cannot read. */
  readonly id: string;
  /**
   * Kept by the page and sent as a header. Browsers send cookies of 127.0.0.1 to every port, but storage belongs to one
   * port, so that another server on this machine that was sent the cookie cannot use it.
   */
  readonly proof: string;
}

/** Browsers that may be signed in at once; the oldest is signed out by one more. */
const maxSessions = 32;

/** Exchanges one-time tokens for sessions, and knows the sessions. Nothing of it survives the process. */
export class Sessions {
  readonly #secret: () => string;
  readonly #onEnd: (session: Session) => void;
  #token: string;
  readonly #known: Session[] = [];

  /**
   * @param secret an unguessable string, another one each time
   * @param onEnd called with each session that ends
   */
  constructor(secret: () => string, onEnd: (session: Session) => void = () => {}) {
    this.#secret = secret;
    this.#onEnd = onEnd;
    this.#token = secret();
  }

  /** The token that the next sign-in needs. */
  get token(): string {
    return this.#token;
  }

  /** Exchanges the token; undefined for any other one, and for one that was exchanged before. */
  signIn(token: string): Session | undefined {
    if (!isSame(token, this.#token)) return undefined;
    this.#token = this.#secret();
    return this.open();
  }

  /** Makes a session for a browser that has shown otherwise who it is. */
  open(): Session {
    const session = { id: this.#secret(), proof: this.#secret() };
    this.#known.push(session);
    if (this.#known.length > maxSessions) this.end(this.#known[0]);
    return session;
  }

  /** Ends a session. */
  end(session: Session | undefined): void {
    const at = this.#known.findIndex(({ id }) => id === session?.id);
    const [ended] = at < 0 ? [] : this.#known.splice(at, 1);
    if (ended) this.#onEnd(ended);
  }

  /** Whether cookie and header belong to one session. */
  isKnown({ id, proof }: Session): boolean {
    return this.#known.some((session) => isSame(id, session.id) && isSame(proof, session.proof));
  }
}

/** Compares in a time that says nothing about the strings. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
