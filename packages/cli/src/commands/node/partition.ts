import { createDefaultPolicy, defaultPolicy, HostPartition, type HostPartitionSpec } from '@slipway/balloons';
import { type PartitionAccount, partitionAccount } from '@slipway/balloons/views';
import { findCondition, type Kube } from '@slipway/kube';
import { type Command, InvalidArgumentError } from 'commander';
import { quantity } from '../../local-cluster/cluster-flags.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { timedOut, type WaitOptions, withWait } from '../../runtime/wait.js';
import { observeNodes } from './observe-nodes.js';
import { previewPartition } from './preview-partition.js';
import { type SplitOptions, splitSpec } from './split-spec.js';
import { waitForBalance } from './wait-for-balance.js';

interface Options extends ClusterOptions, SplitOptions, WaitOptions {
  readonly dryRun?: boolean;
  readonly format: Format;
}

/** `slipway node partition`. */
export function partition(invocation: Invocation): Command {
  return withWait(
    withCluster(
      newCommand('partition', 'Split a machine between its kubelets; without a split, show the present one', [
        'slipway node partition --host lab-1 --equal --reserve cpu=1,memory=4Gi --wait',
        'slipway node partition --host lab-1 --weights n1=2,n2=1,n3=1 --wait',
        'slipway node partition --host lab-1 --remove n3',
        'slipway node partition --host lab-1',
      ]),
    ),
  )
    .requiredOption('--host <name>', 'the machine: value of the label balloons.slipway.dev/host of its nodes')
    .option('--equal', 'every node of the machine')
    .option('--weights <node=weight,...>', 'these nodes only, each in proportion to its weight', weights)
    .option(
      '--remove <node>',
      'without this node; it keeps its size, which is not shared until the node is deleted or on another machine',
    )
    .option('--reserve <cpu=1,memory=4Gi>', 'keep this for the machine itself', reserve)
    .option('--dry-run', 'print the shares only')
    .addOption(outcomeOption())
    .action((options: Options) => run(options, invocation));
}

async function run(options: Options, { terminal, signal }: Invocation): Promise<void> {
  const { host, format } = options;
  const kube = await connect(options);
  const nodes = await observeNodes(kube, {}, signal);
  const present = await kube.resource(HostPartition).find({ name: host }, signal);
  const spec = splitSpec(options, present?.spec, nodes);
  if (!spec) {
    if (!present) throw new CommandError(exit.no, `${host} is not partitioned`, 'add --equal or --weights');
    terminal.out(renderOutcome(format, described(present), present));
    return;
  }
  const { shares, capacity, crowdedBy } = previewPartition(spec, present, nodes);
  if (crowdedBy.length > 0) {
    throw new CommandError(
      exit.no,
      `nothing of ${host} is left for its members: other nodes on it may use all of it (${crowdedBy.join(', ')})`,
      `slipway node partition --host ${host} --equal, or make them smaller: slipway node size ${crowdedBy[0]} --cpu ... --memory ...`,
    );
  }
  const impossible = shares.find(({ problem }) => problem !== undefined);
  if (impossible) {
    throw new CommandError(
      exit.no,
      `${impossible.node}: ${impossible.problem}`,
      `slipway node explain ${impossible.node}`,
    );
  }
  if (options.dryRun) {
    const inText = shares.map(({ node, size }) => ({ node, share: `${size.cpu} / ${size.memory}` }));
    const document = { host, capacity, shares: shares.map(({ node, size }) => ({ node, size })) };
    terminal.out(renderOutcome(format, renderShares(inText), document));
    return;
  }
  const unmanaged = nodes.find(({ node, policy }) => !policy && shares.some((share) => share.node === node.name));
  if (unmanaged) {
    await createDefaultPolicy(kube, unmanaged.node.name, signal);
    terminal.err(`no policy managed ${unmanaged.node.name}: made BalloonPolicy "${defaultPolicy}" for all nodes\n`);
  }
  const written = await write(kube, host, spec, present, signal);
  if (!options.wait) {
    terminal.out(renderOutcome(format, `${host} is to be split between ${shares.length} nodes.\n`, written));
    return;
  }
  const { balanced, last } = await waitForBalance(kube, written, options.timeout, signal);
  terminal.out(renderOutcome(format, balanced ? described(last) : '', last));
  if (balanced) return;
  const condition = findCondition(last.status?.conditions, 'Balanced');
  throw timedOut(`${host} is not balanced`, {
    timeoutMs: options.timeout,
    waitsFor: condition?.message ?? 'a balloon controller to take the request up',
    fix: 'slipway node list',
  });
}

async function write(
  kube: Kube,
  name: string,
  spec: HostPartitionSpec,
  present: HostPartition | undefined,
  signal: AbortSignal,
): Promise<HostPartition> {
  const { group, version, kind } = HostPartition;
  const client = kube.resource(HostPartition);
  if (present) return client.mutate({ name }, (draft) => ({ ...draft, spec }), { signal });
  return client.create({ apiVersion: `${group}/${version}`, kind, metadata: { name }, spec }, { signal });
}

function described(partition: HostPartition): string {
  const { host, text, shares, others } = partitionAccount(partition);
  const beside = others.length === 0 ? '' : `No members, but they keep their sizes: ${others.join(', ')}\n`;
  return `${host}: ${text}\n${renderShares(shares)}${beside}`;
}

function renderShares(shares: PartitionAccount['shares']): string {
  return renderTable(shares, [
    { heading: 'NODE', cell: ({ node }) => node },
    { heading: 'SHARE', cell: ({ share }) => share },
  ]);
}

/** Reads `a=2,b=1`. */
function weights(text: string): NonNullable<HostPartitionSpec['members']> {
  return text.split(',').map((pair) => {
    const [, node, weight] = /^([^=]+)=(\d+(?:\.\d+)?)$/.exec(pair.trim()) ?? [];
    if (!node || !(Number(weight) > 0)) throw new InvalidArgumentError(`"${pair}" is not NODE=WEIGHT (try n1=2,n2=1)`);
    return { node, weight: Number(weight) };
  });
}

/** Reads `cpu=1,memory=4Gi`. */
function reserve(text: string): NonNullable<HostPartitionSpec['reserve']> {
  const pairs = text.split(',').map((pair) => {
    const [, resource, amount] = /^(cpu|memory)=(.+)$/.exec(pair.trim()) ?? [];
    if (!resource || !amount) throw new InvalidArgumentError(`"${pair}" is neither cpu=... nor memory=...`);
    return [resource, quantity('4')(amount)] as const;
  });
  return Object.fromEntries(pairs);
}
