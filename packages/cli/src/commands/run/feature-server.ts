import { hostname } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { patterns } from '../../local-cluster/cluster-flags.js';
import { tasksIn } from '../../local-cluster/tasks-file.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, withCluster } from '../../runtime/connect.js';
import { sendSpans } from '../../runtime/send-spans.js';
import { connectProcess } from './connect-process.js';
import { type ListenAddress, withListen } from './listen-address.js';
import { processNamespaceOption } from './process-namespace.js';
import { runProcess } from './run-process.js';

interface FeatureServerFlags extends ClusterOptions {
  readonly identity: string;
  readonly namespace: string;
  readonly tasks?: string;
  readonly allowDynamic: readonly string[];
  readonly maxReports: number;
  readonly listen?: ListenAddress;
}

/** `slipway run feature-server`. */
export function featureServer(invocation: Invocation): Command {
  const command = newCommand('feature-server', 'Run transitions of features, and read the gates of API servers', [
    'slipway run feature-server --kubeconfig ~/.kube/config',
    "slipway run feature-server --allow-dynamic 'Acme*,OpenAPIV3'",
    'slipway run feature-server --listen 0.0.0.0:8080 --tasks /etc/slipway/tasks.yaml',
  ])
    .option('--identity <name>', 'name of this server among its peers', hostname())
    .addOption(processNamespaceOption())
    .option('--tasks <file>', 'webhooks, jobs and analyses that definitions may name')
    .addOption(
      new Option('--allow-dynamic <globs>', 'gates whose values may change while processes run')
        .argParser(patterns)
        .default([], 'none'),
    )
    .addOption(
      new Option('--max-reports <n>', 'processes counted of each namespace but kube-system and slipway-system')
        .argParser(reportCount)
        .default(1000),
    );
  return withListen(withCluster(command)).action(async (flags: FeatureServerFlags) => {
    const localTasks = await tasksIn(flags.tasks);
    const { kube, access } = await connectProcess(flags, 'slipway-feature-server');
    const { builtInDefinitions, featureServer: serverOf } = await import('@slipway/features');
    const { ApiServers } = await import('@slipway/features/adapters');
    const apiServers = new ApiServers({ kube, access });
    await using spans = await sendSpans({ service: 'slipway-feature-server', instance: flags.identity });
    const server = serverOf({
      kube,
      identity: flags.identity,
      namespace: flags.namespace,
      definitions: builtInDefinitions(),
      allowDynamic: flags.allowDynamic,
      maxReports: flags.maxReports,
      guard: { apiServers: () => apiServers.clients() },
      trace: spans?.record,
      ...(localTasks && { localTasks }),
    });
    await runProcess(
      { parts: [server, apiServers], listen: flags.listen, metrics: () => server.metrics() },
      invocation,
    );
  });
}

function reportCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > 50_000) {
    throw new InvalidArgumentError(`"${text}" is not a number from 1 to 50000`);
  }
  return count;
}
