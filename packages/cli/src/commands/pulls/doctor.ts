import { connect } from 'node:net';
import {
  adminClient,
  adminOf,
  checkNode,
  defaultPullsSettings,
  type NodeFinding,
  readNodeFacts,
} from '@slipway/image-pulls';
import type { Command } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import type { TableColumn } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { exit } from '../../runtime/exit.js';
import { type DaemonOptions, whichDaemon } from './daemon-options.js';

interface Options extends DaemonOptions {
  readonly root: string;
  readonly kubeletConfig: string;
  readonly kubeletConfigDir: string;
  readonly format: Format;
}

/** `slipway pulls doctor`. */
export function doctor({ terminal, answer }: Invocation): Command {
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
      const findings = checkNode(facts);
      terminal.out(renderList(findings, { format, columns, document: findings }));
      const problems = findings.filter(({ result }) => result === 'problem');
      if (problems.length === 0) return;
      for (const { fix } of problems) if (fix !== undefined) terminal.err(`To fix: ${fix}\n`);
      answer(exit.no);
    });
}

const columns: readonly TableColumn<NodeFinding>[] = [
  { heading: 'CHECK', cell: ({ check }) => check },
  { heading: 'RESULT', weight: 8, state: true, cell: ({ result }) => result },
  { heading: 'WHAT', weight: 9, cell: ({ message }) => message },
  { heading: 'FIX', weight: 9, cell: ({ fix = '-' }) => fix },
];

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
