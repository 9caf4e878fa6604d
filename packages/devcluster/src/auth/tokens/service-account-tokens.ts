import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { Clock } from '@slipway/kube';
import type { User } from '../../api-server/request.js';
import type { Store } from '../../storage/store.js';
import { type TokenClaims, tokenUser, whyNotGood } from './token-claims.js';

/** Who signs tokens, and who they are for when nobody is named. */
export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

export interface TokenOptions {
  readonly store: Pick<Store, 'latest'>;
  readonly clock: Clock;
  /** Private key on curve P-256, as PEM. Default: a new one, and tokens do not outlive this server. */
  readonly key?: string | undefined;
}

/** What a token is checked to: who bears it, and for which of the audiences it is good. */
export interface CheckedToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** What is said of a token that is none of ours. */
export const invalidToken = 'invalid bearer token';

/** A bearer token that is not believed. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

/** The claims that an issuer does not choose. */
export type WantedClaims = Omit<TokenClaims, 'iss' | 'iat' | 'nbf' | 'jti'>;

/** What a token that we signed says, and who it says its bearer is. */
interface Genuine {
  readonly claims: TokenClaims;
  readonly user: User;
}

/** Issues the tokens of service accounts and says who bears them. */
export class ServiceAccountTokens {
  readonly issuer = defaultIssuer;
  readonly audiences: readonly string[] = [defaultIssuer];
  readonly #store: Pick<Store, 'latest'>;
  readonly #clock: Clock;
  readonly #privateKey: ReturnType<typeof createPrivateKey>;
  readonly #publicKey: ReturnType<typeof createPublicKey>;
  readonly #keyId: string;
  /** Tokens whose signature was seen to be ours; whether they are good is looked at each time. */
  readonly #genuine = new Map<string, Genuine>();

  constructor({ store, clock, key = newSigningKey() }: TokenOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#privateKey = createPrivateKey(key);
    this.#publicKey = createPublicKey(this.#privateKey);
    this.#keyId = createHash('sha256')
      .update(this.#publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
  }

  /** A signed token. */
  async issue(wanted: WantedClaims, id: string): Promise<string> {
    const { SignJWT } = await import('jose');
    const now = Math.floor(this.#clock.now() / 1000);
    const claims = { ...wanted, aud: [...wanted.aud], iss: this.issuer, iat: now, nbf: now, jti: id };
    return await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: this.#keyId }).sign(this.#privateKey);
  }

  /**
   * Checks a bearer token. Answers at once when it was seen before.
   *
   * @throws TokenError when it is not believed, or for none of the audiences.
   */
  check(token: string, audiences: readonly string[] = this.audiences): CheckedToken | Promise<CheckedToken> {
    const known = this.#genuine.get(token);
    if (known) return this.#admit(known, audiences);
    return this.#verify(token).then((genuine) => this.#admit(genuine, audiences));
  }

  /** The public key, for others who check tokens: a JSON Web Key Set. */
  async keySet(): Promise<{ keys: unknown[] }> {
    const { exportJWK } = await import('jose');
    const key = await exportJWK(this.#publicKey);
    return { keys: [{ use: 'sig', kid: this.#keyId, alg: 'ES256', ...key }] };
  }

  #admit({ claims, user }: Genuine, audiences: readonly string[]): CheckedToken {
    const why = whyNotGood(claims, this.#store, this.#clock.now());
    if (why !== undefined) throw new TokenError(why);
    const both = claims.aud.filter((audience) => audiences.includes(audience));
    if (both.length > 0) return { user, audiences: both };
    throw new TokenError(
      `token audiences ${goList(claims.aud)} is invalid for the target audiences ${goList(audiences)}`,
    );
  }

  /** Sees whether we signed it, and nothing else: whether it is good depends on when one looks. */
  async #verify(token: string): Promise<Genuine> {
    const { compactVerify } = await import('jose');
    try {
      const { payload } = await compactVerify(token, this.#publicKey, { algorithms: ['ES256'] });
      const claims = JSON.parse(Buffer.from(payload).toString()) as TokenClaims;
      const genuine = { claims, user: tokenUser(claims) };
      this.#remember(token, genuine);
      return genuine;
    } catch (cause) {
      throw new TokenError(invalidToken, { cause });
    }
  }

  #remember(token: string, genuine: Genuine): void {
    const [oldest] = this.#genuine.keys();
    if (this.#genuine.size >= mostRemembered && oldest !== undefined) this.#genuine.delete(oldest);
    this.#genuine.set(token, genuine);
  }
}

const mostRemembered = 2_000;

/** A private key to sign tokens with, as PEM. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A list of texts as Go prints one of type []string with `%q`. */
function goList(list: readonly string[]): string {
  return `[${list.map((one) => JSON.stringify(one)).join(' ')}]`;
}
