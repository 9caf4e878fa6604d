import type { KubeObject } from '@slipway/kube';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PlannedObject } from '../../installation/cluster-objects.js';
import { type PartName, partNames } from '../../installation/labels.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';

interface InstallOptions extends ClusterOptions {
  readonly only: readonly PartName[];
  readonly image?: string;
  readonly namespace: string;
  readonly processes: boolean;
  readonly guards: boolean;
  readonly pulls: boolean;
  readonly dryRun?: boolean;
  readonly format: Format;
}

/** `slipway install`. */
export function command({ terminal, signal }: Invocation): Command {
  const install = newCommand('install', 'Install Slipway on a cluster: kinds, rights and processes', [
    'slipway install --image registry.example.com/slipway:0.1.0 --dry-run',
    'slipway install --image registry.example.com/slipway:0.1.0 --only features,node-agent',
    'slipway install --image registry.example.com/slipway:0.1.0 --pulls',
    'slipway install --no-processes',
  ])
    .addOption(onlyOption())
    .option('--image <name>', 'image of the processes, which contains the command slipway')
    .addOption(
      new Option('--namespace <name>', 'namespace of the processes').argParser(namespaceName).default('slipway-system'),
    )
    .option('--no-processes', 'kinds and rights only: the processes are run elsewhere, by slipway run')
    .option(
      '--guards',
      'let the feature server create admission policies that reject uses of features that are off',
      false,
    )
    .option('--pulls', 'let node agents connect the pull limiters of their nodes; they run as root then', false)
    .option('--dry-run', 'print what would be done only')
    .addOption(outcomeOption());
  return withCluster(install).action(async (options: InstallOptions) => {
    const { dryRun = false, format } = options;
    requireImage(options);
    const [{ installation, stampVersion }, { ClusterObjects, nameOf }, { requireStoredVersions }] = await Promise.all([
      import('../../installation/installation.js'),
      import('../../installation/cluster-objects.js'),
      import('./stored-versions.js'),
    ]);
    const image = options.processes ? options.image : undefined;
    const kube = await connect(options);
    const { only: parts, guards, pulls, namespace } = options;
    const version = await stampVersion(kube, signal);
    const wanted = installation({ parts, image, guards, pulls, stampVersion: version, namespace });
    const objects = await ClusterObjects.of(kube, signal);
    await requireStoredVersions(objects, wanted);
    const plan = await objects.plan(wanted);
    if (!dryRun) for (const { action, object } of plan) if (action !== 'keep') await objects.apply(object);
    const changes = plan.filter(({ action }) => action !== 'keep');
    const rows = changes.map(({ action, object }) => ({ action, object: nameOf(object) }));
    const table = renderTable(rows, [
      { heading: 'ACTION', cell: ({ action }) => action },
      { heading: 'OBJECT', cell: ({ object }) => object },
    ]);
    const document = { dryRun, objects: plan.map(documentOf) };
    terminal.out(renderOutcome(format, rows.length > 0 ? table : 'Everything is already installed.\n', document));
    if (rows.length > 0) terminal.err(dryRun ? 'Nothing was done.\n' : `${rows.length} objects were written.\n`);
  });
}

/** Adds `--only`. */
export function onlyOption(): Option {
  return new Option('--only <parts>', `some of ${partNames.join(', ')}`).argParser(partList).default(partNames, 'all');
}

function namespaceName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError(`"${text}" is not the name of a namespace`);
}

function partList(text: string): readonly PartName[] {
  return text.split(',').map((word) => {
    const part = partNames.find((name) => name === word.trim());
    if (!part) throw new InvalidArgumentError(`"${word}" is not a part of Slipway; there are ${partNames.join(', ')}`);
    return part;
  });
}

function requireImage({ image, processes }: InstallOptions): void {
  if (image !== undefined || !processes) return;
  const hint = 'name one with --image, or install kinds and rights only with --no-processes';
  throw new CommandError(exit.usage, 'no image is given for the processes', hint);
}

function documentOf({ action, object }: PlannedObject): { readonly action: string; readonly object: KubeObject } {
  return { action, object };
}
