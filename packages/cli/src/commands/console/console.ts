import { once } from 'node:events';
import type { Command } from 'commander';
import { wholeNumber } from '../../local-cluster/cluster-flags.js';
import { limitersOf } from '../../local-cluster/console-limiters.js';
import { readKubeconfig } from '../../local-cluster/find-cluster.js';
import { serveConsole, usualConsolePort } from '../../local-cluster/serve-console.js';
import { jsonContent } from '../../output/content.js';
import { outputOption } from '../../output/format.js';
import { type Invocation, newCommand, repeated } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { connectAs } from '../../runtime/connect-as.js';
import { exit, Interrupted } from '../../runtime/exit.js';

interface Options extends ClusterOptions {
  readonly port?: number;
  readonly root?: string;
  readonly pulls?: readonly string[];
  readonly journal?: string;
  readonly signInByToken?: boolean;
  readonly format: 'text' | 'json';
}

/** Client-side request limits, high enough for several open pages. */
const pace = { qps: 200, burst: 400 };

/** `slipway console`. */
export function command({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('console', 'Show and change a cluster in a browser, with the rights of the kubeconfig, until Ctrl-C', [
      'slipway console',
      'slipway console --context production --port 8080',
      'slipway console --pulls worker-3=/tmp/worker-3.sock',
      'slipway console --sign-in-by-token --port 8080',
    ]),
  )
    .option(
      '--port <n>',
      `port on 127.0.0.1; 0 takes a free one (default: ${usualConsolePort}, or a free one if that is in use)`,
      wholeNumber(0, 65_535),
    )
    .option('--root <dir>', 'checkout whose proposals are shown (default: the nearest one with a keps folder)')
    .option(
      '--pulls <[name=]socket>',
      'admin socket of a pull limiter to show and steer, here or forwarded from a node; may be repeated (default: that of this machine)',
      repeated,
    )
    .option('--journal <path>', 'journal of the first of them, for what other limits would mean')
    .option(
      '--sign-in-by-token',
      'each browser signs in with the token of its user and has the rights of that user; of the kubeconfig only the cluster counts',
    )
    .addOption(outputOption(['text', 'json']))
    .action(async ({ port, format, root, pulls, journal, signInByToken, ...which }: Options) => {
      const limiters = limitersOf(pulls, journal);
      const kube = signInByToken ? await connectAs(which, pace) : await connect(which, pace);
      const cluster = which.context ?? readKubeconfig(which.kubeconfig)?.['current-context'] ?? 'this cluster';
      const onSignIn = (next: string) => terminal.err(`Signed in. For another browser: ${next}\n`);
      const console = await serveConsole({ kube, cluster, limiters, proposalsIn: root, onSignIn, preload: true }, port);
      const { address } = console;
      const text = `The console of ${cluster} is at\n\n  ${address}\n\n${signInByToken ? 'Browsers sign in with a token of the cluster.' : 'The address signs in one browser.'} Ctrl-C ends it.\n`;
      terminal.out(format === 'json' ? jsonContent({ url: console.url, address, cluster, pid: process.pid }, 0) : text);
      if (!signal.aborted) await once(signal, 'abort');
      await console.close();
      if (signal.reason instanceof Interrupted && signal.reason.by === 'SIGINT') answer(exit.interrupted);
    });
}
