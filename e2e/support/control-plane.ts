import type { ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';

/** Path of a file in the folder of a control plane. */
type At = (name: string) => string;

/** Writes the key of service accounts and the tokens with which `users` (`token,name,uid,groups`) sign in. */
export function writeSecrets(at: At, users: readonly string[]): void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(at('tokens.csv'), `${users.join('\n')}\n`, { mode: 0o600 });
}

/** Flags of a kube-apiserver over the etcd at a port of loopback, with what `writeSecrets` wrote. */
export function apiServerFlags(at: At, address: string, etcdPort: number): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    `--token-auth-file=${at('tokens.csv')}`,
    `--cert-dir=${at('')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${at('accounts.key')}`,
    `--service-account-signing-key-file=${at('accounts.key')}`,
  ];
}

/** SIGTERM, and SIGKILL for a process that has not ended in 15 s; or SIGKILL at once. */
export async function endProcess(child: ChildProcess | undefined, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const slow = setTimeout(() => child.kill('SIGKILL'), 15_000);
  child.kill(signal);
  await ended;
  clearTimeout(slow);
}
