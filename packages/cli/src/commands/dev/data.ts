import { type DataReport, exportedObject, inApplyOrder, readDataDir, verifyDataDir } from '@slipway/devcluster';
import { Feature } from '@slipway/features';
import { installer, type KubeObject, stringifyJson } from '@slipway/kube';
import { toYaml } from '@slipway/safe-yaml';
import { printableJson } from '@slipway/safe-yaml/printable';
import type { Command } from 'commander';
import { whichCluster } from '../../local-cluster/cluster-flags.js';
import { clusterFolder, type WhichCluster } from '../../local-cluster/find-cluster.js';
import { Content } from '../../output/content.js';
import { type Format, formatOption } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { exit } from '../../runtime/exit.js';

interface ExportOptions extends WhichCluster {
  readonly kind?: readonly string[];
  readonly namespace?: string;
  readonly format: Format;
}

/** `slipway dev data`: what a cluster keeps, whether it runs or not. */
export function dataCommand(invocation: Invocation): Command {
  return newCommand('data', 'Export or verify the data of a cluster, running or stopped')
    .addCommand(verify(invocation))
    .addCommand(exportObjects(invocation));
}

function verify({ terminal, answer }: Invocation): Command {
  return whichCluster(
    newCommand('verify', 'Read all data once, and list what is damaged', [
      'slipway dev data verify',
      'slipway dev data verify --data-dir ./data -o json',
    ]),
  )
    .addOption(outcomeOption())
    .action(async ({ format, ...which }: WhichCluster & { format: Format }) => {
      const report = await verifyDataDir(await clusterFolder(which));
      terminal.out(renderOutcome(format, summary(report), report));
      if (report.damage.length === 0) return;
      answer(exit.no);
      for (const { where, what } of report.damage) terminal.err(`slipway: ${where}: ${what}\n`);
      terminal.err(`To fix: stop the cluster and restore ${report.path} from a copy, or move it away and start anew\n`);
    });
}

function summary({ path, objects, revision, records, bytes, damage }: DataReport): string {
  const counts = Object.values(objects);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const verdict = damage.length === 0 ? 'sound' : 'damaged';
  const kept = `${total} objects of ${counts.length} kinds at revision ${revision}`;
  return `${path} is ${verdict}: ${kept}, ${records} records of ${(bytes / 1e6).toFixed(1)} MB.\n`;
}

function exportObjects({ terminal, answer }: Invocation): Command {
  return whichCluster(
    newCommand('export', 'Print the objects that clients wrote, as kubectl apply takes them', [
      'slipway dev data export > all.yaml',
      'slipway dev data export -n team-a --kind Deployment --kind Service -o json',
    ]),
  )
    .option('-n, --namespace <name>', 'only objects of this namespace')
    .option('--kind <kind>', 'only objects of this kind; may be repeated', (kind, before: readonly string[] = []) => [
      ...before,
      kind,
    ])
    .addOption(formatOption('yaml', 'json', 'name'))
    .action(async ({ kind, namespace, format, ...which }: ExportOptions) => {
      const kinds = kind?.map((name) => name.toLowerCase());
      const wanted = ({ kind, metadata }: KubeObject) =>
        (!kinds || kinds.includes(kind.toLowerCase())) && (namespace === undefined || metadata.namespace === namespace);
      const all = await readDataDir(await clusterFolder(which));
      const written = all.filter(wanted).flatMap((object) => exportedObject(object, [installer]) ?? []);
      const objects = inApplyOrder(written.map(withoutAuthor));
      if (objects.length === 0) {
        answer(exit.no);
        terminal.err('slipway: no client wrote an object of that kind or namespace\n');
        terminal.err(`To fix: leave out --kind and --namespace; slipway dev data verify counts what is there\n`);
        return;
      }
      terminal.out(rendered(objects, format));
    });
}

/** Whoever applies it is its author there. */
function withoutAuthor(object: KubeObject): KubeObject {
  if (object.apiVersion.split('/')[0] !== Feature.group || !('author' in object)) return object;
  const { author: _, ...rest } = object;
  return rest;
}

function rendered(objects: readonly KubeObject[], format: Format): string | Content {
  switch (format) {
    case 'json':
      return new Content(`${printableJson(stringifyJson({ apiVersion: 'v1', kind: 'List', items: objects }, 2))}\n`);
    case 'name':
      return objects.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}\n`).join('');
    default:
      return new Content(objects.map((object) => `---\n${toYaml(object)}`).join(''));
  }
}
