import { BalloonPolicy } from '@slipway/balloons';
import { isNotInstalled } from '@slipway/features';
import { installer, type Kube, type KubeObject, sleep, systemClock } from '@slipway/kube';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { timeoutOption } from '../../runtime/wait.js';
import { ClusterObjects, nameOf } from './cluster-objects.js';
import { onlyOption } from './install.js';
import { installation, type PartName, staysBehind } from './installation.js';

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
    'Take the processes and rights of Slipway off a cluster, and leave its data',
    ['slipway uninstall --dry-run', 'slipway uninstall --only balloons --timeout 10m'],
  )
    .addOption(onlyOption())
    .option('--dry-run', 'print what would be done, and do nothing')
    .addOption(timeoutOption('how long to wait for nodes to be given back', 300_000))
    .addOption(outcomeOption());
  return withCluster(uninstall).action(
    async ({ only, dryRun = false, timeout, format, ...which }: UninstallOptions) => {
      const kube = await connect(which);
      const objects = await ClusterObjects.of(kube, signal);
      // What was installed had processes or had none: what is not there need not go.
      const all = installation({ parts: only, image: 'any', guards: true });
      const there = await objects.present(all, isOurs);
      const going = there.filter((object) => !staysBehind(object)).reverse();
      const policies = only.includes('balloons') ? await policiesOf(kube, signal) : [];
      const staying = there.filter(staysBehind).map(nameOf);
      const plan = [
        ...policies.map((name) => `delete BalloonPolicy ${name}: its nodes are given back in full\n`),
        ...going.map((object) => `delete ${nameOf(object)}\n`),
      ];
      // Told before it is done: it may take as long as the nodes do.
      if (format === 'table') terminal.out(plan.join('') || 'Nothing of it is installed.\n');
      if (!dryRun) {
        await giveNodesBack(kube, policies, timeout, signal);
        for (const object of going) await objects.delete(object);
      }
      const left = staying.length > 0 ? `These stay, with what people made of them: ${staying.join(', ')}\n` : '';
      const deleted = [...policies.map((name) => `BalloonPolicy ${name}`), ...going.map(nameOf)];
      terminal.out(renderOutcome(format, left, { dryRun, deleted, staying }));
      if (dryRun) terminal.err('Nothing was done.\n');
    },
  );
}

/** Whether slipway install wrote it: objects that others made by the same name stay. */
function isOurs({ metadata }: KubeObject): boolean {
  const writers = (metadata.managedFields ?? []) as readonly { readonly manager?: string }[];
  return writers.some(({ manager }) => manager === installer);
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
 * balloons would hold what they hold for ever.
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
        'see that the balloon controller runs: slipway node list, and try again',
      );
    }
    await sleep(systemClock, 500, signal);
    left = await policiesOf(kube, signal);
  }
}
