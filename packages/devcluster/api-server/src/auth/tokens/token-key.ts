import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** The key that signs the tokens of service accounts: an RSA key, or one on curve P-256, P-384 or P-521. */
export class TokenKey {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #id: string;
  /** Of its signatures, such as `ES256`. */
  readonly algorithm: string;

  /**
   * @param pem the private key
   * @throws TypeError for a key that cannot sign tokens
   */
  constructor(pem: string) {
    this.#privateKey = createPrivateKey(pem);
    this.#publicKey = createPublicKey(this.#privateKey);
    this.algorithm = algorithmOf(this.#publicKey);
    this.#id = createHash('sha256')
      .update(this.#publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
  }

  /** A JSON Web Token that says `claims`. */
  async sign(claims: object): Promise<string> {
    const { SignJWT } = await import('jose');
    return await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: this.algorithm, kid: this.#id })
      .sign(this.#privateKey);
  }

  /**
   * What a token says that this key signed.
   * @throws Error for any other
   */
  async claimsOf(token: string): Promise<unknown> {
    const { compactVerify } = await import('jose');
    const { payload } = await compactVerify(token, this.#publicKey, { algorithms: [this.algorithm] });
    return JSON.parse(Buffer.from(payload).toString());
  }

  /** The public key, for others who check tokens: a JSON Web Key Set. */
  async keySet(): Promise<{ keys: unknown[] }> {
    const { exportJWK } = await import('jose');
    const key = await exportJWK(this.#publicKey);
    return { keys: [{ use: 'sig', kid: this.#id, alg: this.algorithm, ...key }] };
  }
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  const algorithm = type === 'rsa' ? 'RS256' : curveAlgorithms[details?.namedCurve ?? ''];
  if (algorithm === undefined) throw new TypeError(`a key of type ${type} cannot sign tokens of service accounts`);
  return algorithm;
}

const curveAlgorithms: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** A private key to sign tokens with, as PEM. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
