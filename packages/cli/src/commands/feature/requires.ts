import { readFile } from 'node:fs/promises';
import { requiredGates } from '@slipway/features';
import { errorMessage, type KubeObject } from '@slipway/kube';
import { parseAllYaml } from '@slipway/safe-yaml';
import type { Command } from 'commander';
import { type Format, formatOption, isForPeople, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { served } from './find-feature.js';
import { reportLiveness } from './report-liveness.js';

interface Options extends ClusterOptions {
  readonly filename: readonly string[];
  readonly format: Format;
}

/** `slipway feature requires -f FILE`. */
export function requires({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('requires', 'Show the Kubernetes gates that manifests need, and whether they are on in this cluster', [
      'slipway feature requires -f stateful-sets.yaml',
      'slipway feature requires -f a.yaml b.yaml -o json',
    ]),
  )
    .requiredOption('-f, --filename <files...>', 'manifests, YAML or JSON')
    .addOption(formatOption('table', 'wide', 'json', 'yaml'))
    .action(async ({ filename, format, ...cluster }: Options) => {
      const objects = (await Promise.all(filename.map(readManifests))).flat();
      const kube = await connect(cluster);
      const found = await served(() => requiredGates(kube, objects, signal));
      await reportLiveness(kube, [], { terminal, signal });
      const { required, definedGates, unserved } = found;
      if (required.length > 0 || !isForPeople(format)) {
        terminal.out(
          renderList(required, {
            format,
            document: found,
            columns: [
              { heading: 'GATE', cell: ({ gate }) => gate },
              { heading: 'STATE', weight: 8, state: true, cell: ({ state }) => state },
              { heading: 'OBJECT', cell: ({ object }) => object },
              { heading: 'FIELD', cell: ({ path }) => path ?? '' },
            ],
          }),
        );
      }
      const known = definedGates.join(', ') || 'no gate';
      terminal.err(`Looked for uses of ${known} in ${objects.length} objects. Of other gates nothing is known.\n`);
      if (unserved.length > 0) terminal.err(`Not served by this cluster: ${unserved.join(', ')}\n`);

      const off = [...new Set(required.filter(({ state }) => state !== 'On').map(({ gate }) => gate))];
      for (const gate of off) terminal.err(`To fix: slipway feature on ${gate} --wait\n`);
      if (off.length > 0) answer(exit.no);
      else if (unserved.length > 0) answer(exit.unknown);
    });
}

/** Every object of a file, those of Lists too. @throws CommandError (usage) when it cannot be read, or holds something else */
async function readManifests(file: string): Promise<readonly KubeObject[]> {
  const hint = 'name files with Kubernetes manifests';
  const documents = await readFile(file, 'utf8')
    .then((text) => parseAllYaml(text))
    .catch((cause: unknown) => {
      const why = errorMessage(cause);
      throw new CommandError(exit.usage, `${file}: ${why}`, hint, { cause });
    });
  return documents.flatMap(itemsOf).map((object) => {
    if (isObject(object)) return object;
    throw new CommandError(exit.usage, `${file}: a document has no apiVersion or no kind`, hint);
  });
}

function itemsOf(document: unknown): readonly unknown[] {
  if (typeof document !== 'object' || document === null || !('items' in document)) return [document];
  return Array.isArray(document.items) ? document.items : [document];
}

function isObject(value: unknown): value is KubeObject {
  if (typeof value !== 'object' || value === null || !('apiVersion' in value) || !('kind' in value)) return false;
  const hasMetadata = !('metadata' in value) || (typeof value.metadata === 'object' && value.metadata !== null);
  return typeof value.apiVersion === 'string' && typeof value.kind === 'string' && hasMetadata;
}
