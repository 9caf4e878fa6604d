import {
  autosizeSettings,
  BalloonPolicy,
  type BalloonPolicySpec,
  balloonKeys,
  createDefaultPolicy,
  defaultPolicy,
  Node,
  NodeSize,
  type ObservedNode,
  policyFor,
  readAutosize,
  readPolicy,
  wantNow,
} from '@slipway/balloons';
import { exactAmounts, shortAmounts } from '@slipway/balloons/views';
import type { Kube } from '@slipway/kube';
import { Argument, type Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { observeNodes } from './observe-nodes.js';

interface Options extends ClusterOptions {
  readonly selector?: string;
  readonly restore?: boolean;
  readonly format: Format;
}

type Deed = 'on' | 'off' | 'status' | 'recommend';

/** `slipway node autosize`. */
export function autosize(invocation: Invocation): Command {
  return withCluster(
    newCommand('autosize', 'Let sizes follow the requests of pods, or show the recommended sizes', [
      'slipway node autosize recommend',
      'slipway node autosize on',
      'slipway node autosize off -l pool=a',
      'slipway node autosize off --restore',
      'slipway node autosize status',
    ]),
  )
    .addArgument(new Argument('<what>', 'what to do').choices(['on', 'off', 'status', 'recommend']))
    .option('-l, --selector <labels>', 'only nodes with these labels; the others stay as they are')
    .option('--restore', 'with off: restore nodes to their full size; without it sizes stay as they are')
    .addOption(outcomeOption())
    .action((what: Deed, options: Options) => run(what, options, invocation));
}

async function run(what: Deed, options: Options, { terminal, signal }: Invocation): Promise<void> {
  const kube = await connect(options);
  const nodes = await observeNodes(kube, { selector: options.selector }, signal);
  if (what === 'status' || what === 'recommend') {
    const rows = nodes.map(autosizeRow);
    const text = what === 'status' ? statusTable(rows) : recommendations(rows);
    const items = rows.map(({ observed: _, ...row }) => ({
      ...row,
      size: exactAmounts(row.size),
      wanted: exactAmounts(row.wanted),
    }));
    terminal.out(renderOutcome(options.format, text, { items }));
    return;
  }
  const isOn = what === 'on';
  if (options.selector !== undefined) await labelNodes(kube, nodes, isOn, signal);
  const unmanaged = nodes.find(({ policy }) => !policy);
  if (isOn && unmanaged) {
    await createDefaultPolicy(kube, unmanaged.node.name, signal);
    terminal.err(`no policy managed ${unmanaged.node.name}: made BalloonPolicy "${defaultPolicy}" for all nodes\n`);
  }
  if (isOn || options.selector === undefined) await setPolicies(kube, nodes, isOn, signal);
  if (!isOn && options.restore) await restore(kube, nodes, signal);
  const restored = !isOn && options.restore ? ', and they get back all they have' : '';
  const text = `Sizes of ${nodes.length} nodes ${isOn ? 'follow' : 'no longer follow'} what pods ask for${restored}.\n`;
  terminal.out(renderOutcome(options.format, text, { autosize: what, nodes: nodes.map(({ node }) => node.name) }));
}

interface AutosizeRow {
  readonly node: string;
  readonly mode: 'Off' | 'Recommend' | 'Enforce';
  readonly size: ObservedNode['numbers']['size'];
  readonly wanted: ObservedNode['numbers']['size'];
  readonly observed: ObservedNode;
}

/** What a node has and would have, by the settings of its policy, or the ordinary ones where it has none. */
function autosizeRow(observed: ObservedNode): AutosizeRow {
  const { node, numbers } = observed;
  const policy = policyFor(observed);
  const settings = autosizeSettings(policy);
  const isOptedOut = node.labels[balloonKeys.autosize] === 'off';
  const { limits } = readPolicy(policy);
  const wanted = wantNow(numbers.requested, numbers.allocatable, settings ?? readAutosize({}), limits);
  const mode = !settings || isOptedOut ? 'Off' : settings.isEnforced ? 'Enforce' : 'Recommend';
  return { node: node.name, mode, size: numbers.size, wanted, observed };
}

function statusTable(rows: readonly AutosizeRow[]): string {
  return renderTable(rows, [
    { heading: 'NODE', cell: ({ node }) => node },
    { heading: 'AUTOSIZE', cell: ({ mode }) => mode },
    { heading: 'SIZE', cell: ({ size }) => shortAmounts(size) },
    { heading: 'WANTED', cell: ({ wanted }) => shortAmounts(wanted) },
    { heading: 'REQUESTED', cell: ({ observed }) => shortAmounts(observed.numbers.requested) },
  ]);
}

function recommendations(rows: readonly AutosizeRow[]): string {
  return renderTable(rows, [
    { heading: 'NODE', cell: ({ node }) => node },
    { heading: 'SIZE', cell: ({ size }) => shortAmounts(size) },
    { heading: 'WANTED', cell: ({ wanted }) => shortAmounts(wanted) },
    { heading: 'COMMAND', weight: 9, cell: ({ node, wanted }) => commandFor(node, wanted) },
  ]);
}

function commandFor(node: string, wanted: AutosizeRow['wanted']): string {
  const [cpu, memory] = exactAmounts(wanted).split(' / ');
  return `slipway node size ${node} --cpu ${cpu} --memory ${memory}`;
}

async function labelNodes(kube: Kube, nodes: readonly ObservedNode[], isOn: boolean, signal: AbortSignal) {
  const labels = { [balloonKeys.autosize]: isOn ? null : 'off' };
  for (const { node } of nodes)
    await kube.resource(Node).merge({ name: node.name }, { metadata: { labels } }, { signal });
}

async function setPolicies(kube: Kube, nodes: readonly ObservedNode[], isOn: boolean, signal: AbortSignal) {
  const names = new Set(nodes.map((observed) => policyFor(observed).metadata.name ?? ''));
  for (const name of names) {
    const present = await kube.resource(BalloonPolicy).find({ name }, signal);
    if (!present) continue;
    await kube
      .resource(BalloonPolicy)
      .mutate({ name }, (draft) => ({ ...draft, spec: withAutosize(draft.spec, isOn) }), {
        signal,
      });
  }
}

function withAutosize({ autosize: before, ...spec }: BalloonPolicySpec, isOn: boolean): BalloonPolicySpec {
  return isOn ? { ...spec, autosize: { ...before, mode: 'Enforce' } } : spec;
}

async function restore(kube: Kube, nodes: readonly ObservedNode[], signal: AbortSignal): Promise<void> {
  for (const { node, size } of nodes) {
    if (size)
      await kube
        .resource(NodeSize)
        .mutate({ name: node.name }, (draft) => ({ ...draft, spec: { mode: 'Full' } }), { signal });
  }
}
