import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey } from '@slipway/api-server/auth/tokens/token-key';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import { writeAtomically } from './write-atomically.js';

/**
 * The key that signs the tokens of service accounts, as PEM: read from `folder`, or
 * made and kept there, so that tokens outlive a restart. Without a folder it is new.
 * @throws ClusterStartError DataDamaged when the file in `folder` is not a key
 */
export function signingKeyIn(folder: string | undefined): string {
  if (folder === undefined) return newSigningKey();
  const path = join(folder, 'service-accounts.key');
  const kept = read(path);
  if (kept !== undefined) return kept;
  const key = newSigningKey();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeAtomically(path, key);
  return key;
}

function read(path: string): string | undefined {
  try {
    const pem = readFileSync(path, 'utf8');
    createPrivateKey(pem);
    return pem;
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    const hint = 'remove the file to have a new one made; tokens made before stop working';
    throw new ClusterStartError('DataDamaged', `${path} cannot be read as a private key`, hint, { cause });
  }
}
