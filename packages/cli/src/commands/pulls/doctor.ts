import { connect } from 'node:net';
import { adminClient, adminOf, checkNode, defaultPullsSettings, readNodeFacts } from '@slipway/image-pulls';
import type { Command } from 'commander';
import { type Format, formatOption } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { reportFindings } from '../../runtime/finding.js';
import { type DaemonOptions, whichDaemon } from './daemon-options.js';

interface Options extends DaemonOptions {
  readonly root: string;
  readonly kubeletConfig: string;
  readonly kubeletConfigDir: string;
  readonly format: Format;
}

/** `slipway pulls doctor`. */
export function doctor(invocation: Invocation): Command {
  const { kubelet } = defaultPullsSettings;
  return whichDaemon(
    newCommand('doctor', 'Check this node for anything that makes the limit ineffective', [
      'slipway pulls doctor',
      'slipway pulls doctor --kubelet-config /etc/kubernetes/kubelet.yaml -o json',
    ]),
  )
    .option('--kubelet-config <file>', 'the kubelet’s configuration', kubelet.config)
    .option(
      '--kubelet-config-dir <folder>',
      'its drop-ins, as the kubelet’s --config-dir names them',
      kubelet.configDir,
    )
    .option('--root <folder>', 'root folder of the node', '/')
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action(async ({ root, listen, admin, kubeletConfig, kubeletConfigDir, format }: Options) => {
      const daemon = await adminClient(admin ?? adminOf(listen))
        .state()
        .catch(() => undefined);
      const node = { root, listen, kubeletConfig, kubeletConfigDir, nodeVersion: process.version };
      const facts = await readNodeFacts({ ...node, daemon, answers });
      reportFindings(checkNode(facts), format, invocation);
    });
}

const answerTimeoutMs = 1_000;

/** Whether a process accepts a connection there soon. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerTimeoutMs });
    const say = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => say(true));
    socket.once('timeout', () => say(false));
    socket.once('error', () => say(false));
  });
}
