import { hostname } from 'node:os';
import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, withCluster } from '../../runtime/connect.js';
import { balloonConfiguration } from '../local/balloon-configuration.js';
import { connectProcess } from './connect-process.js';
import { type ListenAddress, withListen } from './listen-address.js';
import { runProcess } from './run-process.js';

interface BalloonControllerFlags extends ClusterOptions {
  readonly identity: string;
  readonly config?: string;
  readonly listen?: ListenAddress;
}

/** `slipway run balloon-controller`. */
export function balloonController(invocation: Invocation): Command {
  const command = newCommand('balloon-controller', 'Resize nodes by balloons; of several processes one works', [
    'slipway run balloon-controller --kubeconfig ~/.kube/config',
    'slipway run balloon-controller --listen 0.0.0.0:8080 --config /etc/slipway/balloons.yaml',
  ])
    .option('--identity <name>', 'name of this process among its peers', `${hostname()}_${process.pid}`)
    .option('--config <file>', 'actuators of the balloon controller');
  return withListen(withCluster(command)).action(async (flags: BalloonControllerFlags) => {
    const { actuators } = balloonConfiguration(flags.config);
    const { kube } = await connectProcess(flags, 'slipway-balloon-controller');
    const { BalloonMetrics, balloonControllers, ordinaryInstallation } = await import('@slipway/balloons');
    const { namespace, balloons } = ordinaryInstallation;
    const lease = { namespace, name: 'slipway-balloon-controller', identity: flags.identity };
    const metrics = new BalloonMetrics(kube.clock);
    const controllers = balloonControllers({ kube, namespace: balloons, actuators, metrics, lease });
    await runProcess({ parts: [controllers], listen: flags.listen, metrics: () => metrics.page() }, invocation);
  });
}
