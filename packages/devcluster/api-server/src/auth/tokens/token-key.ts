import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';

/** The key that signs the tokens of service accounts: a private key on curve P-256. */
export class TokenKey {
  readonly #privateKey: ReturnType<typeof createPrivateKey>;
  readonly #publicKey: ReturnType<typeof createPublicKey>;
  readonly #id: string;

  /** @param pem the private key */
  constructor(pem: string) {
    this.#privateKey = createPrivateKey(pem);
    this.#publicKey = createPublicKey(this.#privateKey);
    this.#id = createHash('sha256')
      .update(this.#publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
  }

  /** A JSON Web Token that says `claims`. */
  async sign(claims: object): Promise<string> {
    const { SignJWT } = await import('jose');
    return await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: this.#id }).sign(this.#privateKey);
  }

  /**
   * What a token says that this key signed.
   * @throws Error for any other
   */
  async claimsOf(token: string): Promise<unknown> {
    const { compactVerify } = await import('jose');
    const { payload } = await compactVerify(token, this.#publicKey, { algorithms: ['ES256'] });
    return JSON.parse(Buffer.from(payload).toString());
  }

  /** The public key, for others who check tokens: a JSON Web Key Set. */
  async keySet(): Promise<{ keys: unknown[] }> {
    const { exportJWK } = await import('jose');
    const key = await exportJWK(this.#publicKey);
    return { keys: [{ use: 'sig', kid: this.#id, alg: 'ES256', ...key }] };
  }
}

/** A private key to sign tokens with, as PEM. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
