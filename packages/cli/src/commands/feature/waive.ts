import {
  addWaiver,
  type Feature,
  type NewWaiver,
  removeWaiver,
  type WaivedThing,
  WaiverError,
} from '@slipway/features';
import type { Kube } from '@slipway/kube';
import type { Command } from 'commander';
import { parseDuration } from '../../output/duration.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { requireFeature } from './find-feature.js';

interface Options extends ClusterOptions, WaivedThing {
  readonly namespace?: string;
  readonly reason?: string;
  readonly for?: number;
  readonly by?: string;
  readonly remove?: string;
  readonly format: Format;
}

/** `slipway feature waive GATE`. */
export function waive({ terminal, signal }: Invocation): Command {
  return withCluster(
    newCommand('waive', 'Exclude a process, node, task or object from a transition for a limited time', [
      'slipway feature waive ImageVolume --node n17 --reason "its disk is being replaced" --for 7d',
      'slipway feature waive ImageVolume --object pods/shop/web-0 --reason "ends with the quarter" --for 20d',
      'slipway feature waive ImageVolume --remove w-3k9z',
    ]),
  )
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <name>', 'namespace of the feature')
    .option('--process <name>', 'a process, as feature get names it')
    .option('--node <name>', 'every process on a node')
    .option('--task <name>', 'a task that waits for a user')
    .option('--object <name>', 'an object that still uses the feature: RESOURCE.GROUP/NAMESPACE/NAME')
    .option('--reason <text>', 'the reason, for later readers')
    .option('--for <duration>', 'duration, at most 30d', parseDuration)
    .option('--by <name>', 'responsible person (default: your user in the cluster)')
    .option('--remove <id>', 'remove a waiver')
    .addOption(outcomeOption())
    .action(async (gate: string, options: Options) => {
      const kube = await connect(options);
      const feature = await requireFeature(kube, gate, options.namespace, { terminal, signal });
      try {
        const [text, written] = await (options.remove === undefined
          ? give(kube, feature, options, signal)
          : takeBack(kube, feature, options.remove, signal));
        terminal.out(renderOutcome(options.format, text, written));
      } catch (error) {
        if (!(error instanceof WaiverError)) throw error;
        throw new CommandError(exit.usage, error.message, `slipway feature waive ${feature.spec.gate} --help`);
      }
    });
}

async function give(kube: Kube, feature: Feature, options: Options, signal: AbortSignal): Promise<[string, Feature]> {
  const { gate } = feature.spec;
  const { process, node, task, object, reason = '', for: forMs = 0 } = options;
  const thing = Object.fromEntries(
    Object.entries({ process, node, task, object }).filter(([, name]) => name !== undefined),
  );
  const waiver: NewWaiver = {
    id: `w-${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`,
    ...(thing as WaivedThing),
    reason,
    by: options.by ?? (await whoAmI(kube, signal)),
    forMs,
  };
  const written = await addWaiver(kube, feature, waiver, signal);
  const expires = written.spec.waivers?.find(({ id }) => id === waiver.id)?.expires ?? '';
  const [[what, name] = ['', '']] = Object.entries(thing);
  const text =
    `${gate} goes on without ${what} ${name} until ${expires}. It never counts as agreeing.\n` +
    `Take it back with: slipway feature waive ${gate} --remove ${waiver.id}\n`;
  return [text, written];
}

async function takeBack(kube: Kube, feature: Feature, id: string, signal: AbortSignal): Promise<[string, Feature]> {
  const written = await removeWaiver(kube, feature, id, signal);
  return [`${id} does not hold any more.\n`, written];
}

/** The name by which the cluster knows this user. */
async function whoAmI(kube: Kube, signal: AbortSignal): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { body } = await kube.transport.request({ method: 'POST', path, body: review, signal });
  const { status } = body as { status?: { userInfo?: { username?: string } } };
  const name = status?.userInfo?.username;
  if (name) return name;
  throw new CommandError(exit.usage, 'the cluster does not report your user name', 'name a person with --by');
}
