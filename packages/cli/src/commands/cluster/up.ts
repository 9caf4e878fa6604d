import { defaultVersion, supportedVersions } from '@slipway/devcluster/versions';
import { loadPart } from '@slipway/kube';
import { type Command, Option } from 'commander';
import {
  clusterName,
  componentGates,
  defaultName,
  gateValues,
  ipAddress,
  kubeletVersions,
  patterns,
  quantity,
  serverGates,
  serverVersions,
  sharedHost,
  usualPort,
  wholeNumber,
} from '../../local-cluster/cluster-flags.js';
import type { UpOptions } from '../../local-cluster/up-options.js';
import { outputOption } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';

/** `slipway up`. */
export function command(invocation: Invocation): Command {
  return newCommand('up', 'Start a local Kubernetes cluster and keep it running until Ctrl-C', [
    'slipway up',
    'slipway up --detach',
    'slipway up --ephemeral --kubernetes 1.36',
    'slipway up --ephemeral --nodes 5 --node-cpu 16 --node-memory 64Gi',
    'slipway up --ephemeral --nodes 4 --shared-host 16cpu/64Gi',
    'slipway up --component-gates kube-controller-manager:MaxUnavailableStatefulSet=true',
    'slipway up --feature-gates MaxUnavailableStatefulSet=true --allow-dynamic OpenAPIV3',
    'slipway up --kubernetes 1.36 --servers 2 --server-version 2:1.37 --server-gates 2:MaxUnavailableStatefulSet=false',
    'slipway up --ephemeral --time-scale 50',
    'slipway up --ephemeral --bind 0.0.0.0',
    'slipway up --ephemeral --kubelet-version n2:1.35 --kubelet-config kubelet.yaml --images images.yaml',
    'slipway up --ephemeral --port 0 --kubeconfig ./kubeconfig -o json',
  ])
    .option('--name <name>', 'name of the cluster', clusterName, defaultName)
    .option('--data-dir <path>', 'folder of its data (default: the one of its name)')
    .addOption(
      new Option('--kubernetes <version>', 'Kubernetes version of the cluster')
        .choices(supportedVersions)
        .default(defaultVersion),
    )
    .option('--nodes <n>', 'number of simulated nodes', wholeNumber(1, 5_000), 3)
    .option('--node-cpu <quantity>', 'cpu of each node', quantity('4'), '4')
    .option('--node-memory <quantity>', 'memory of each node', quantity('8Gi'), '8Gi')
    .addOption(
      new Option('--shared-host <cpu/memory>', 'one machine for all nodes: each reports all of it')
        .argParser(sharedHost)
        .conflicts(['nodeCpu', 'nodeMemory']),
    )
    .addOption(
      new Option('--kubelet-version <node:version>', 'Kubernetes version of one kubelet; may be repeated')
        .argParser(kubeletVersions)
        .default({}, 'that of the cluster'),
    )
    .option('--kubelet-config <file>', 'KubeletConfiguration of all kubelets')
    .option('--balloon-config <file>', 'actuators of the balloon controller, and where it serves /metrics')
    .option('--images <file>', 'size and speed of image pulls, and images that fail (default: all images are present)')
    .option('--audit-log <file>', 'append an audit event to this file for every request')
    .option(
      '--port <n>',
      `port of the API; 0 takes a free one (default: ${usualPort}, or a free one if that is in use)`,
      wholeNumber(0, 65_535),
    )
    .addOption(
      new Option('--bind <address>', 'IP address of the API; in a container 0.0.0.0, for its published port')
        .argParser(ipAddress)
        .default('127.0.0.1'),
    )
    .option(
      '--component-pages',
      'let components serve /metrics as in Kubernetes, for a node agent, instead of reporting',
    )
    .option('--detach', 'return once the cluster is up and leave it running in the background, until slipway down')
    .option('--ephemeral', 'keep all data in memory and discard it at the end')
    .option('--kubeconfig <path>', 'write the kubeconfig to this file only')
    .addOption(
      new Option('--feature-gates <gates>', 'pin gates of the API servers, which set features in mode Central')
        .argParser(gateValues)
        .default({}, 'none'),
    )
    .addOption(
      new Option('--component-gates <component:gates>', 'pin gates of one component; may be repeated')
        .argParser(componentGates)
        .default([], 'none'),
    )
    .option('--feature-tasks <file>', 'webhooks, jobs and analyses that features may name')
    .addOption(
      new Option('--allow-dynamic <globs>', 'gates whose values may change while components run')
        .argParser(patterns)
        .default(['*'], '*'),
    )
    .addOption(
      new Option('--dynamic-features <globs>', 'gates that components take from the API')
        .argParser(patterns)
        .default(['*'], '*'),
    )
    .option(
      '--feature-servers <n>',
      'how many feature servers run inside; with 0 there are only those of slipway run feature-server',
      wholeNumber(0, 9),
      1,
    )
    .option('--servers <n>', 'number of API servers; each has an address on a port after --port', wholeNumber(1, 9), 1)
    .addOption(
      new Option('--server-version <n:version>', 'Kubernetes version of one API server; may be repeated')
        .argParser(serverVersions)
        .default({}, 'that of the cluster'),
    )
    .addOption(
      new Option('--server-gates <n:gates>', 'pin gates of one API server; may be repeated')
        .argParser(serverGates)
        .default({}, 'none'),
    )
    .option('--time-scale <n>', 'run the time of the cluster this many times faster', wholeNumber(1, 1_000), 1)
    .addOption(outputOption(['text', 'json']))
    .action(async (options: UpOptions) => {
      if (options.detach) {
        const { runDetached } = await import('../../local-cluster/run-detached.js');
        return await runDetached(options, invocation);
      }
      const { runCluster } = await loadPart(
        import.meta.url,
        './local/run-cluster.js',
        () => import('../../local-cluster/run-cluster.js'),
      );
      await runCluster(options, invocation);
    });
}
