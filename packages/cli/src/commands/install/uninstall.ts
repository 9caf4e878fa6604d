import { BalloonPolicy } from '@slipway/balloons';
import { isNotInstalled } from '@slipway/features';
import { type Kube, type KubeObject, StatusError, sleep, slipwaySelectors, systemClock } from '@slipway/kube';
import type { Command } from 'commander';
import { ClusterObjects, nameOf } from '../../installation/cluster-objects.js';
import type { PartName } from '../../installation/labels.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { timeoutOption } from '../../runtime/wait.js';
import { findInstalled } from './find-installed.js';
import { onlyOption } from './install.js';

interface UninstallOptions extends ClusterOptions {
  readonly only: readonly PartName[];
  readonly dryRun?: boolean;
  readonly timeout: number;
  readonly format: Format;
}

/** `slipway uninstall`. */
export function command({ terminal, signal }: Invocation): Command {
  const uninstall = newCommand(
    'uninstall',
    'Remove the processes and rights of Slipway from a cluster, and keep its data',
    ['slipway uninstall --dry-run', 'slipway uninstall --only balloons --timeout 10m'],
  )
    .addOption(onlyOption())
    .option('--dry-run', 'print what would be done only')
    .addOption(timeoutOption('how long to wait for nodes to be given back', 300_000))
    .addOption(outcomeOption());
  return withCluster(uninstall).action(
    async ({ only, dryRun = false, timeout, format, ...which }: UninstallOptions) => {
      const kube = await connect(which);
      const objects = await ClusterObjects.of(kube, signal);
      const { going, staying } = await findInstalled(kube, objects, only);
      const policies = only.includes('balloons') ? await policiesOf(kube, signal) : [];
      const plan = [
        ...policies.map((name) => `delete BalloonPolicy ${name}: its nodes are given back in full\n`),
        ...going.map((object) => `delete ${nameOf(object)}\n`),
      ];
      // Printed before it is done, which may take as long as the nodes do.
      if (format === 'table') terminal.out(plan.join('') || 'Nothing of it is installed.\n');
      if (!dryRun) {
        await giveNodesBack(kube, policies, timeout, signal);
        await deleteAll(objects, going);
      }
      const deleted = [...policies.map((name) => `BalloonPolicy ${name}`), ...going.map(nameOf)];
      const left = staying.map(({ object, why }) => ({ object: nameOf(object), why }));
      terminal.out(renderOutcome(format, describeLeft(left), { dryRun, deleted, staying: left }));
      if (dryRun) terminal.err('Nothing was done.\n');
    },
  );
}

/**
 * Deletes every object that can be deleted. @throws CommandError naming those that the cluster refused to delete, and why.
 */
async function deleteAll(objects: ClusterObjects, going: readonly KubeObject[]): Promise<void> {
  const refused: string[] = [];
  for (const object of going) {
    try {
      await objects.delete(object);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refused.push(`${nameOf(object)}: ${error.message}`);
    }
  }
  if (refused.length === 0) return;
  const message = `${refused.length} of ${going.length} objects could not be deleted; ${refused.join('; ')}`;
  throw new CommandError(exit.cluster, message, 'see to what denies it, and run slipway uninstall again');
}

function describeLeft(left: readonly { readonly object: string; readonly why: string }[]): string {
  if (left.length === 0) return '';
  const lines = left.map(({ object, why }) => `  ${object}: ${why}\n`);
  const hint = left.some(({ object }) => object.startsWith('CustomResourceDefinition '))
    ? `To delete the definitions and all objects of their kinds: kubectl delete crd -l ${slipwaySelectors.ours}\n`
    : '';
  return `These stay:\n${lines.join('')}${hint}`;
}

async function policiesOf(kube: Kube, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const { items } = await kube.resource(BalloonPolicy).list({ signal });
    return items.map(({ metadata }) => metadata.name ?? '');
  } catch (error) {
    if (isNotInstalled(error)) return [];
    throw error;
  }
}

/**
 * Deletes the policies and waits until the controller, which runs as yet, has given every node its full size: without it
 * balloons would hold their resources indefinitely.
 */
async function giveNodesBack(
  kube: Kube,
  policies: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const client = kube.resource(BalloonPolicy);
  for (const name of policies) await client.delete({ name }, { signal });
  const untilMs = systemClock.monotonicMs() + timeoutMs;
  let left = policies.length > 0 ? await policiesOf(kube, signal) : [];
  while (left.length > 0) {
    if (systemClock.monotonicMs() > untilMs) {
      const message = `nodes are not given back yet: BalloonPolicy ${left.join(', ')}; nothing else was removed`;
      throw new CommandError(
        exit.unknown,
        message,
        'check with slipway node list that the balloon controller runs, then try again',
      );
    }
    await sleep(systemClock, 500, signal);
    left = await policiesOf(kube, signal);
  }
}
