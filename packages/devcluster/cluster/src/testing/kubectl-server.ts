import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiHandler } from '@slipway/api-server/request/request';
import { serveHttps } from '@slipway/api-server/transport/https-server';
import { issueCertificates } from '../issue-certificates.js';

/** How a command ended, and what it printed. */
export interface Run {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl as the administrator of an API server. */
export interface Kubectl extends AsyncDisposable {
  run(args: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<Run>;
}

/** Serves an API over HTTPS, for kubectl with a home of its own. @param namespace of the context */
export async function kubectlFor(api: ApiHandler, namespace = 'default'): Promise<Kubectl> {
  const home = mkdtempSync(join(tmpdir(), 'slipway-kubectl-'));
  const wanted = { ca: undefined, serving: undefined, admin: undefined, names: ['127.0.0.1'], nowMs: Date.now() };
  const { ca, serving, admin } = await issueCertificates(wanted);
  const { certificate, key } = serving;
  const binding = await serveHttps(api, { certificate, key, clientAuthority: ca.certificate });
  const inline = (pem: string) => Buffer.from(pem).toString('base64');
  const cluster = { server: `https://127.0.0.1:${binding.port}`, 'certificate-authority-data': inline(ca.certificate) };
  const user = { 'client-certificate-data': inline(admin.certificate), 'client-key-data': inline(admin.key) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'x',
  };
  writeFileSync(join(home, 'config'), JSON.stringify(config));
  return {
    run: (args, input = '', env = {}) =>
      new Promise((resolve) => {
        const all = { ...process.env, HOME: home, KUBECONFIG: join(home, 'config'), ...env };
        const child = execFile('kubectl', [...args], { env: all, timeout: 20_000 }, (error, stdout, stderr) =>
          resolve({ exit: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
        );
        child.stdin?.end(input);
      }),
    async [Symbol.asyncDispose]() {
      await binding.close(0);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
