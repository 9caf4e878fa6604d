import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { runInWorker } from '@slipway/api-machinery/event-loop/run-in-worker';
import { errorMessage } from '@slipway/kube';
import type { Damage } from '@slipway/object-store/check-records';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import type { Certificates, KeyPair, Wanted } from './issue-certificates.js';
import { writeAtomically } from './write-atomically.js';

const renewBeforeMs = 30 * 24 * 3_600_000;

/**
 * The certificates of a cluster, read from `folder` or issued, and kept there.
 * What has less than 30 days left, or a serving certificate that lacks one of `names`, is
 * issued again under the same authority, so kubeconfigs go on to work.
 * Without a folder everything is new and in memory.
 * @throws ClusterStartError DataDamaged when a file in `folder` is not what it should be
 */
export async function certificatesIn(
  folder: string | undefined,
  options: { readonly names: readonly string[]; readonly nowMs: number },
): Promise<Certificates> {
  const { names, nowMs } = options;
  const kept = folder === undefined ? {} : read(folder);
  const ca = kept.ca && isFresh(kept.ca, nowMs) ? kept.ca : undefined;
  const fresh = (pair: KeyPair | undefined) => (ca && pair && isFresh(pair, nowMs, ca) ? pair : undefined);
  const serving = fresh(kept.serving);
  const [admin, proxy] = [fresh(kept.admin), fresh(kept.proxy)];
  const upToDate = serving && covers(serving, names) ? serving : undefined;
  if (ca && upToDate && admin && proxy) return { ca, serving: upToDate, admin, proxy };
  const issued = await issue({ ca, serving: upToDate, admin, proxy, names, nowMs });
  if (folder !== undefined) write(folder, issued);
  return issued;
}

/** How often this process has issued certificates. */
let issues = 0;

/**
 * Loading the X.509 library takes longer than all else at a start, so a worker does it beside the rest, and its memory
 * goes with the worker. A process that starts a second cluster is likely to start more: from then on it keeps the
 * library. So it does where no worker can be had (the sources run unbuilt).
 */
async function issue(wanted: Wanted): Promise<Certificates> {
  const program = new URL('./certificates-worker.js', import.meta.url);
  issues++;
  if (issues === 1 && existsSync(program)) return await runInWorker(program, wanted, 'issuing certificates');
  const { issueCertificates } = await import('./issue-certificates.js');
  return await issueCertificates(wanted);
}

/** Returns the unusable certificates in `folder`. A missing one will be issued and does not count as damaged. */
export function damagedCertificates(folder: string): readonly Damage[] {
  return parts.flatMap((part) => {
    const where = join(folder, `${part}.crt`);
    try {
      const certificate = readPem(where);
      const key = readPem(join(folder, `${part}.key`));
      if (certificate === undefined || key === undefined) return [];
      requireCertificate(where, certificate);
      const isPair = holdsKey(new X509Certificate(certificate), key);
      return isPair ? [] : [{ where, what: 'its key is not the one beside it' }];
    } catch (error) {
      return [{ where, what: errorMessage(error) }];
    }
  });
}

/** Names and addresses that clients may reach the API server by. */
export function servingNames(bind: string): readonly string[] {
  const always = ['localhost', '127.0.0.1', '::1', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const inCluster = ['kubernetes.default.svc.cluster.local', '10.96.0.1'];
  const everywhere = bind === '0.0.0.0' || bind === '::';
  const addresses = everywhere ? Object.values(networkInterfaces()).flatMap((all) => all ?? []) : [];
  const more = everywhere ? addresses.map(({ address }) => address.split('%')[0] ?? '') : [bind];
  return [...new Set([...always, ...inCluster, ...more.filter((name) => name !== '')])];
}

const parts = ['ca', 'serving', 'admin', 'proxy'] as const;

function read(folder: string): Partial<Certificates> {
  const kept: { -readonly [P in keyof Certificates]?: Certificates[P] } = {};
  for (const part of parts) {
    const certificate = readPem(join(folder, `${part}.crt`));
    const key = readPem(join(folder, `${part}.key`));
    if (certificate === undefined || key === undefined) continue;
    requireCertificate(join(folder, `${part}.crt`), certificate);
    kept[part] = { certificate, key };
  }
  return kept;
}

function write(folder: string, certificates: Certificates): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The key first: a certificate without its key would be taken for a pair.
  for (const part of parts) {
    writeAtomically(join(folder, `${part}.key`), certificates[part].key);
    writeAtomically(join(folder, `${part}.crt`), certificates[part].certificate);
  }
}

function readPem(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw damaged(path, error);
  }
}

function requireCertificate(path: string, pem: string): void {
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw damaged(path, cause);
  }
}

function damaged(path: string, cause: unknown): ClusterStartError {
  const hint = 'remove the pki folder to have new certificates issued; kubeconfigs made before stop working';
  return new ClusterStartError('DataDamaged', `${path} cannot be read as a certificate`, hint, { cause });
}

/** Valid for a while yet, belonging to its key, and signed by `authority`. */
function isFresh(pair: KeyPair, nowMs: number, authority: KeyPair = pair): boolean {
  const certificate = new X509Certificate(pair.certificate);
  if (Date.parse(certificate.validTo) - nowMs < renewBeforeMs) return false;
  if (Date.parse(certificate.validFrom) > nowMs) return false;
  return certificate.checkIssued(new X509Certificate(authority.certificate)) && holdsKey(certificate, pair.key);
}

function holdsKey(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function covers({ certificate }: KeyPair, names: readonly string[]): boolean {
  const held = new X509Certificate(certificate);
  return names.every((name) => (isIP(name) ? held.checkIP(name) : held.checkHost(name)) !== undefined);
}
