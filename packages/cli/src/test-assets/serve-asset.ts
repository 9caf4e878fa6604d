import { type ExitCode, exit } from '../runtime/exit.js';

/** Programs of a folder of test assets. */
export const assets = ['kube-apiserver', 'etcd'] as const;
export type Asset = (typeof assets)[number];

/**
 * Runs as one of the programs of a folder of test assets, until SIGTERM or SIGINT. Only what the program needs is
 * loaded: the callers start four of them for one run of tests.
 * @param version Kubernetes version of its kube-apiserver
 */
export async function serveAsset(asset: string, version: string, words: readonly string[]): Promise<ExitCode> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  const asks = (name: string) => words.includes(`--${name}`);
  try {
    if (asset === 'etcd') {
      const { etcdFlags, serveEtcd } = await import('./serve-etcd.js');
      if (asks('help')) process.stdout.write(help('etcd [flags]', etcdFlags));
      else if (asks('version')) process.stdout.write('etcd Version: 3.6.0\n');
      else await serveEtcd(words, stop.signal);
    } else {
      if (asks('version')) process.stdout.write(`Kubernetes v${version}.0\n`);
      else if (asks('help')) {
        const { apiServerFlags } = await import('./api-server-flags.js');
        process.stdout.write(help('kube-apiserver [flags]', apiServerFlags));
      } else {
        const { serveApiServer } = await import('./serve-api-server.js');
        await serveApiServer(words, version, stop.signal);
      }
    }
    return exit.ok;
  } catch (error) {
    process.stderr.write(`${asset}: ${(error as Error).message}\n`);
    return exit.no;
  }
}

function help(usage: string, flags: Iterable<string>): string {
  const lines = [...flags].map((flag) => `      --${flag}\n`);
  return `A stand-in of slipway for tests.\n\nUsage:\n  ${usage}\n\nFlags:\n${lines.join('')}`;
}
