import { hostname } from 'node:os';
import type { Command } from 'commander';
import { balloonConfiguration } from '../../local-cluster/balloon-configuration.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { sendSpans } from '../../runtime/send-spans.js';
import { connectProcess } from './connect-process.js';
import { type ListenAddress, withListen } from './listen-address.js';
import { processNamespaceOption } from './process-namespace.js';
import { runProcess } from './run-process.js';

interface BalloonControllerFlags extends ClusterOptions {
  readonly identity: string;
  readonly namespace: string;
  readonly config?: string;
  readonly featureGates?: string;
  readonly listen?: ListenAddress;
}

/** `slipway run balloon-controller`. */
export function balloonController(invocation: Invocation): Command {
  const command = newCommand('balloon-controller', 'Resize nodes by balloons; of several processes one is active', [
    'slipway run balloon-controller --kubeconfig ~/.kube/config',
    'slipway run balloon-controller --listen 0.0.0.0:8080 --config /etc/slipway/balloons.yaml',
    'slipway run balloon-controller --feature-gates NodeBalloons=false',
  ])
    .option('--identity <name>', 'name of this process among its peers', `${hostname()}_${process.pid}`)
    .addOption(processNamespaceOption())
    .option('--config <file>', 'actuators of the balloon controller')
    .option('--feature-gates <gates>', 'NodeBalloons=false restores every node to its full size and deletes balloons');
  return withListen(withCluster(command)).action(async (flags: BalloonControllerFlags) => {
    const { actuators } = balloonConfiguration(flags.config);
    const { BalloonMetrics, balloonControllers, ordinaryInstallation } = await import('@slipway/balloons');
    const gate = await gateOf(flags.featureGates);
    const { kube } = await connectProcess(flags, 'slipway-balloon-controller');
    const { balloons } = ordinaryInstallation;
    const lease = { namespace: flags.namespace, name: 'slipway-balloon-controller', identity: flags.identity };
    const metrics = new BalloonMetrics(kube.clock);
    await using spans = await sendSpans({ service: 'slipway-balloon-controller', instance: flags.identity });
    const trace = spans?.record;
    const controllers = balloonControllers({ kube, namespace: balloons, actuators, metrics, trace, lease, gate });
    await using _reporting = gate.startReporting({
      transport: kube.transport,
      namespace: balloons,
      instance: flags.identity,
      clock: kube.clock,
    });
    const page = () => metrics.page() + gate.metrics();
    await runProcess({ parts: [controllers], listen: flags.listen, metrics: page }, invocation);
  });
}

/** @throws CommandError (usage) for a gate that is not ours, or a value that is none. */
async function gateOf(flag: string | undefined) {
  const { balloonGate } = await import('@slipway/balloons');
  try {
    return balloonGate(flag);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CommandError(exit.usage, error.message, 'the gate is NodeBalloons, and its values are true and false', {
      cause: error,
    });
  }
}
