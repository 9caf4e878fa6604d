import type { User } from '@slipway/api-machinery/identity/user';
import type { Clock } from '@slipway/kube';
import { isSecretToken, type SecretTokenClaims } from '@slipway/kube-objects/rules/secret-token-claims';
import type { Store } from '@slipway/object-store/store';
import { type CheckedToken, invalidToken, TokenError } from '../../registry/review.js';
import { listText } from '../rbac/covers.js';
import { secretTokenProblem, secretTokenUser } from './secret-token.js';
import { type TokenClaims, tokenProblem, tokenUser } from './token-claims.js';
import { newSigningKey, TokenKey } from './token-key.js';

const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

export interface TokenOptions {
  readonly store: Pick<Store, 'latest'>;
  readonly clock: Clock;
  /** Private key as `TokenKey` takes it. Default: a new one, and tokens do not outlive this server. */
  readonly key?: string | undefined;
  /** Address that tokens name as their issuer, and their default audience. Default: that of a cluster. */
  readonly issuer?: string | undefined;
}

/** The claims that an issuer does not choose. */
export type WantedClaims = Omit<TokenClaims, 'iss' | 'iat' | 'nbf' | 'jti'>;

/** What a token that we signed says: who its bearer is, for whom it is meant, and why it is not good at a time. */
interface Genuine {
  readonly user: User;
  readonly audiences: readonly string[];
  readonly problem: (nowMs: number) => string | undefined;
}

/** Issues the tokens of service accounts and says who bears them. */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly #store: Pick<Store, 'latest'>;
  readonly #clock: Clock;
  readonly #key: TokenKey;
  /** Tokens whose signature was seen to be ours; whether they are good is looked at each time. */
  readonly #genuine = new Map<string, Genuine>();

  constructor({ store, clock, key = newSigningKey(), issuer = defaultIssuer }: TokenOptions) {
    this.issuer = issuer;
    this.audiences = [issuer];
    this.#store = store;
    this.#clock = clock;
    this.#key = new TokenKey(key);
  }

  /** A signed token. */
  async issue(wanted: WantedClaims, id: string): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000);
    return await this.#key.sign({ ...wanted, aud: [...wanted.aud], iss: this.issuer, iat: now, nbf: now, jti: id });
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

  /** Algorithm of the signatures of tokens. */
  get algorithm(): string {
    return this.#key.algorithm;
  }

  /** The public key, for others who check tokens: a JSON Web Key Set. */
  keySet(): Promise<{ keys: unknown[] }> {
    return this.#key.keySet();
  }

  #admit(genuine: Genuine, audiences: readonly string[]): CheckedToken {
    const why = genuine.problem(this.#clock.now());
    if (why !== undefined) throw new TokenError(why);
    const both = genuine.audiences.filter((audience) => audiences.includes(audience));
    if (both.length > 0) return { user: genuine.user, audiences: both };
    throw new TokenError(
      `token audiences ${listText(genuine.audiences)} is invalid for the target audiences ${listText(audiences)}`,
    );
  }

  /** Sees whether we signed it, and nothing else: whether it is good depends on when one looks. */
  async #verify(token: string): Promise<Genuine> {
    try {
      const genuine = this.#genuineOf((await this.#key.claimsOf(token)) as TokenClaims | SecretTokenClaims, token);
      this.#remember(token, genuine);
      return genuine;
    } catch (cause) {
      throw new TokenError(invalidToken, { cause });
    }
  }

  /** Tokens in secrets name no audience: they are for this server. */
  #genuineOf(claims: TokenClaims | SecretTokenClaims, token: string): Genuine {
    const store = this.#store;
    if (isSecretToken(claims)) {
      return {
        user: secretTokenUser(claims),
        audiences: this.audiences,
        problem: () => secretTokenProblem(claims, token, store),
      };
    }
    const whyNot = (nowMs: number) => tokenProblem(claims, store, nowMs);
    return { user: tokenUser(claims), audiences: claims.aud, problem: whyNot };
  }

  #remember(token: string, genuine: Genuine): void {
    const [oldest] = this.#genuine.keys();
    if (this.#genuine.size >= maxRemembered && oldest !== undefined) this.#genuine.delete(oldest);
    this.#genuine.set(token, genuine);
  }
}

const maxRemembered = 2_000;
