import { createSecureContext } from 'node:tls';
import type { Entry } from './kubeconfig.js';

/** What a credential plugin returned. Secrets: never to be logged. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Milliseconds since the Unix epoch; undefined means until the process ends. */
  readonly expiresAtMs: number | undefined;
}

/**
 * Reads the ExecCredential that a plugin printed, with the checks of kubectl.
 * @throws RangeError that completes the sentence "the plugin ..."
 */
export async function parseExecCredential(text: string, apiVersion: string): Promise<ExecCredential> {
  const answer = await readObject(text);
  if (answer?.kind !== 'ExecCredential') throw new RangeError('did not print an ExecCredential');
  if (answer.apiVersion !== apiVersion) {
    throw new RangeError(`returned apiVersion ${JSON.stringify(answer.apiVersion)}, expected "${apiVersion}"`);
  }
  const { status } = answer;
  if (!isEntry(status)) throw new RangeError('returned no status');
  const [token, cert, key, expiry] = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'].map(
    (field) => stringAt(status, field),
  );
  if (!token && !cert && !key) throw new RangeError('returned neither a token nor a client certificate');
  if (!cert !== !key) throw new RangeError('returned only one of client certificate and client key');
  if (cert && key) requireKeyPair(cert, key);
  const expiresAtMs = expiry === undefined ? undefined : Date.parse(expiry);
  if (Number.isNaN(expiresAtMs)) throw new RangeError('returned an expirationTimestamp that is not RFC 3339');
  return { token, cert, key, expiresAtMs };
}

async function readObject(text: string): Promise<Entry | undefined> {
  const { parseYaml } = await import('@slipway/safe-yaml');
  try {
    const value: unknown = parseYaml(text);
    return isEntry(value) ? value : undefined;
  } catch {
    // The error would quote what may be a secret.
    return undefined;
  }
}

function stringAt(status: Entry, field: string): string | undefined {
  const value = status[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new RangeError(`returned a ${field} that is not a string`);
  return value;
}

function requireKeyPair(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key });
  } catch {
    throw new RangeError('returned a client certificate and key that cannot be used together');
  }
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
