import {
  balloonNamespace,
  type CanaryAnswer,
  canaryObstacle,
  type ObservedNode,
  type PolicySettings,
  readPolicy,
  verifyPriority,
  whyUnsafe,
} from '@slipway/balloons';
import type { Kube } from '@slipway/kube';
import type { Command } from 'commander';
import { parseDuration } from '../../output/duration.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { observeNodes } from './observe-nodes.js';

interface Options extends ClusterOptions {
  readonly watch: number;
  readonly format: Format;
}

/** `slipway node verify-priority`. */
export function verifyPriorityOf(invocation: Invocation): Command {
  return withCluster(
    newCommand('verify-priority', 'Test on a node without workloads that balloons neither preempt nor are preempted', [
      'slipway node verify-priority vm-1',
      'slipway node verify-priority vm-1 --watch 20s -o json',
    ]),
  )
    .argument('<node>', 'name of a node with only critical pods; it is cordoned during the test')
    .option('--watch <duration>', 'how long each pod that might be preempted is watched', parseDuration, 5_000)
    .addOption(outcomeOption())
    .action((node: string, options: Options) => run(node, options, invocation));
}

async function run(name: string, { watch, format, ...cluster }: Options, invocation: Invocation): Promise<void> {
  const { terminal, signal, answer } = invocation;
  const kube = await connect(cluster);
  const [observed] = await observeNodes(kube, { names: [name] }, signal);
  if (!observed) return;
  const { policy, mode } = managed(observed);
  const answers = await tried(kube, observed, { policy, mode, watchMs: watch }, signal);
  const text = renderTable(answers, [
    { heading: 'CHECK', cell: ({ check }) => check },
    { heading: 'OK', weight: 8, state: true, cell: (each) => each.answer },
    { heading: 'MESSAGE', weight: 9, cell: ({ message }) => message },
  ]);
  terminal.out(
    renderOutcome(format, `Mode ${mode}, class ${observed.balloon?.priority.className}\n${text}`, {
      node: name,
      mode,
      answers,
    }),
  );
  const isUnsafe = answers.some((each) => each.answer === 'no');
  if (isUnsafe) answer(exit.no);
  else if (answers.some((each) => each.answer === 'unknown')) answer(exit.unknown);
  if (isUnsafe)
    terminal.err(
      `To fix: kubectl patch balloonpolicy ${policy.name} --type merge -p '{"spec":{"priorityMode":"Polite"}}'\n`,
    );
  else if (answers.some((each) => each.answer === 'unknown'))
    terminal.err(`To fix: slipway node verify-priority ${name} --watch 30s\n`);
}

/** @throws CommandError (no) when nothing manages the node, or its mode is not known yet. */
function managed({ node, policy }: ObservedNode) {
  const mode = policy?.status?.priorityMode;
  if (policy && mode) return { policy: readPolicy(policy), mode };
  throw new CommandError(
    exit.no,
    `${node.name}: no policy has given it a balloon`,
    `slipway node size ${node.name} --full --wait`,
  );
}

/** What is known to be unsafe is not tried. */
async function tried(
  kube: Kube,
  { node, balloon, numbers, pods }: ObservedNode,
  {
    policy,
    mode,
    watchMs,
  }: { readonly policy: PolicySettings; readonly mode: 'Native' | 'Polite' | 'Protected'; readonly watchMs: number },
  signal: AbortSignal,
): Promise<readonly CanaryAnswer[]> {
  const unsafe = balloon && whyUnsafe(balloon.priority, node);
  if (unsafe)
    return [{ check: 'a balloon that grows displaces no pod', answer: 'no', message: `not tried: ${unsafe}` }];
  const obstacle = canaryObstacle({ node, balloon, limits: policy.limits, free: numbers.free, pods });
  if (obstacle) throw new CommandError(exit.no, `${node.name}: ${obstacle.message}`, obstacle.fix);
  const place = { node: node.name, namespace: balloonNamespace, image: policy.pod.image };
  return verifyPriority(kube, { ...place, mode, freeMilliCpu: numbers.free.cpu, watchMs }, signal);
}
