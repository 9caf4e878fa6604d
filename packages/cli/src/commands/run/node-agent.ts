import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { connectProcess } from './connect-process.js';
import { type ListenAddress, withListen } from './listen-address.js';
import { runProcess } from './run-process.js';

type Ports = Readonly<Record<string, number>>;

interface NodeAgentFlags extends ClusterOptions {
  readonly node?: string;
  readonly port: Ports;
  readonly componentCa?: string;
  readonly pullsSocket?: string;
  readonly listen?: ListenAddress;
}

const components = ['kubelet', 'kube-proxy', 'kube-scheduler', 'kube-controller-manager'];

/** `slipway run node-agent`. */
export function nodeAgent(invocation: Invocation): Command {
  const command = newCommand('node-agent', 'Report the gates of the Kubernetes components on this node', [
    'slipway run node-agent --node n1',
    'slipway run node-agent --node n1 --pulls-socket /run/slipway/pulls/image.sock.admin',
    'slipway run node-agent --node cp-1 --port kube-scheduler:10259 --listen 127.0.0.1:9808',
  ])
    .addOption(new Option('--node <name>', 'name of this node').env('NODE_NAME'))
    .addOption(
      new Option('--port <component:port>', 'port of a component on 127.0.0.1, if not its default; may be repeated')
        .argParser(componentPort)
        .default({}, 'as Kubernetes has it; the kubelet as its Node says'),
    )
    .option('--component-ca <file>', 'verify the certificates of components with this CA (default: not verified)')
    .option(
      '--pulls-socket <path>',
      'admin socket of slipway pulls serve: PullLimits apply to it, and the cluster sees its gate and its pulls',
    );
  return withListen(withCluster(command)).action(async (flags: NodeAgentFlags) => {
    const { node } = flags;
    if (node === undefined) {
      throw new CommandError(exit.usage, 'the name of this node is missing', 'name it with --node, or in NODE_NAME');
    }
    const componentAuthority = authorityIn(flags.componentCa);
    const { kube, access } = await connectProcess(flags, 'slipway-node-agent');
    const { AgentMetrics, nodeAgent: agentOf } = await import('@slipway/node-agent');
    const metrics = new AgentMetrics();
    const { port: ports, pullsSocket } = flags;
    const pullLimiter = await limiterAt(pullsSocket);
    const agent = agentOf({ kube, access, node, ports, metrics, pullsSocket, pullLimiter, componentAuthority });
    await runProcess({ parts: [agent], listen: flags.listen, metrics: () => metrics.page() }, invocation);
  });
}

async function limiterAt(socket: string | undefined) {
  if (socket === undefined) return undefined;
  const { adminClient } = await import('@slipway/image-pulls');
  return adminClient(socket);
}

function componentPort(text: string, before: Ports): Ports {
  const [, component = '', port = ''] = /^([a-z-]+):(\d+)$/.exec(text) ?? [];
  if (!components.includes(component) || Number(port) < 1 || Number(port) > 65_535) {
    throw new InvalidArgumentError(`"${text}" is not a component and its port (try kube-scheduler:10259)`);
  }
  return { ...before, [component]: Number(port) };
}

/** @throws CommandError (usage) */
function authorityIn(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const hint = 'name a file with certificates in PEM';
    throw new CommandError(exit.usage, `${path} cannot be read`, hint, { cause: error });
  }
}
