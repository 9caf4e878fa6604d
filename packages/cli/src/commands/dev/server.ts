import type { ServerAction, ServerStatus } from '@slipway/devcluster';
import { type Command, InvalidArgumentError } from 'commander';
import { type GateValues, gateValues, whichCluster } from '../../local-cluster/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from '../../local-cluster/find-cluster.js';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';

interface ActionOptions extends WhichCluster {
  readonly version?: string;
  readonly featureGates?: GateValues;
  readonly format: Format;
}

/** `slipway dev server`: the API servers of a cluster, one by one. */
export function serverCommand(invocation: Invocation): Command {
  return newCommand('server', 'List the API servers, and stop, start or upgrade one')
    .addCommand(list(invocation))
    .addCommand(
      action(invocation, 'stop', 'Stop an API server: its connections end, its lease is no longer renewed', [
        'slipway dev server stop 2',
      ]),
    )
    .addCommand(
      withSettings(
        action(invocation, 'start', 'Start an API server that was stopped', [
          'slipway dev server start 2',
          'slipway dev server start 2 --version 1.36',
        ]),
      ),
    )
    .addCommand(
      withSettings(
        action(invocation, 'restart', 'Restart an API server as it was, or with another version or other gates', [
          'slipway dev server restart 1 --version 1.36',
          'slipway dev server restart 2 --feature-gates MaxUnavailableStatefulSet=true',
          'slipway dev server restart 2 --feature-gates ""',
        ]),
      ),
    );
}

function list({ terminal }: Invocation): Command {
  return whichCluster(
    newCommand('list', 'Show the API servers', ['slipway dev server list', 'slipway dev server list -o json']),
  )
    .addOption(formatOption('table', 'wide', 'json', 'yaml', 'name'))
    .action(async ({ format, ...which }: WhichCluster & { format: Format }) => {
      const servers = (await ask(await runningCluster(which), 'servers')) as readonly ServerStatus[];
      terminal.out(
        renderList(servers, {
          format,
          document: servers,
          name: ({ number }) => `${number}`,
          columns: [
            { heading: 'SERVER', cell: ({ number }) => `${number}` },
            { heading: 'STATE', weight: 8, state: true, cell: ({ state }) => state },
            { heading: 'VERSION', cell: ({ version }) => version },
            { heading: 'PINNED GATES', cell: ({ featureGates }) => featureGates },
            { heading: 'ADDRESS', cell: ({ url }) => url },
            { heading: 'LEASE', wide: true, cell: ({ identity }) => identity },
          ],
        }),
      );
    });
}

function action({ terminal }: Invocation, verb: ServerAction, summary: string, examples: readonly string[]): Command {
  return whichCluster(newCommand(verb, summary, examples))
    .argument('<server>', 'its number, as slipway dev server list shows it', serverNumber)
    .addOption(outcomeOption())
    .action(async (server: number, { version, featureGates, format, ...which }: ActionOptions) => {
      const changes = { ...(version !== undefined && { version }), ...(featureGates && { featureGates }) };
      const asked = { action: verb, server, ...changes };
      const status = (await ask(await runningCluster(which), 'server', asked)) as ServerStatus;
      terminal.out(renderOutcome(format, `${sentence(status)}\n`, status));
    });
}

function withSettings(command: Command): Command {
  return command
    .option('--version <version>', 'new Kubernetes version of the server')
    .option('--feature-gates <gates>', 'pin exactly these gates: GATE=true[,GATE=false]', (text) =>
      text === '' ? {} : gateValues(text),
    );
}

function sentence({ number, state, version, featureGates, url }: ServerStatus): string {
  if (state === 'Stopped') return `API server ${number} is stopped.`;
  const pins = featureGates === '' ? '' : ` with ${featureGates}`;
  return `API server ${number} runs as version ${version}${pins} at ${url}.`;
}

function serverNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('it is a number, such as 2');
  return Number(text);
}
