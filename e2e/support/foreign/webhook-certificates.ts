import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificates } from '@slipway/devcluster/issue-certificates';

/**
 * Writes `ca.crt`, `tls.crt` and `tls.key` for servers of these names into a folder, and returns the certificate that they are
 * believed by, as PEM.
 */
export async function issueInto(folder: string, names: readonly string[]): Promise<string> {
  const nothing = { ca: undefined, serving: undefined, admin: undefined };
  const { ca, serving } = await issueCertificates({ ...nothing, names, nowMs: Date.now() });
  const { certificate, key } = serving;
  // Where the Operator Lifecycle Manager installs operators, it names them as the last two.
  const olm = { 'apiserver.crt': certificate, 'apiserver.key': key };
  writeInto(folder, { 'ca.crt': ca.certificate, 'tls.crt': certificate, 'tls.key': key, ...olm });
  return ca.certificate;
}

/** Writes the data of a Secret into a folder, as a kubelet mounts it. */
export function mountInto(folder: string, data: Readonly<Record<string, string>>): void {
  const files = Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]);
  writeInto(folder, Object.fromEntries(files));
}

function writeInto(folder: string, files: Readonly<Record<string, string>>): void {
  // All of them at once: programs read them as soon as there is one.
  mkdirSync(`${folder}.new`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(`${folder}.new`, name), text, { mode: 0o600 });
  renameSync(`${folder}.new`, folder);
}
