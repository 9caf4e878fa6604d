import { builtInDefinitions, FeatureDefinition, featureName, rightsOf, serverNamespace } from '@slipway/features';
import type { Kube } from '@slipway/kube';
import { toYaml } from '@slipway/safe-yaml';
import type { Command } from 'commander';
import { inNamespace } from '../../installation/in-namespace.js';
import { labelled } from '../../installation/labels.js';
import { tasksIn } from '../../local-cluster/tasks-file.js';
import { Content, jsonContent } from '../../output/content.js';
import { formatOption } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { requireFeature } from './find-feature.js';

interface RbacOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly serverNamespace: string;
  readonly builtIn?: boolean;
  readonly tasks?: string;
  readonly format: 'yaml' | 'json';
}

/** `slipway feature rbac GATE`. */
export function rbac({ terminal, signal }: Invocation): Command {
  const command = newCommand('rbac', 'Print the rights that the feature server needs for one feature', [
    'slipway feature rbac MaxUnavailableStatefulSet | kubectl apply -f -',
    'slipway feature rbac MaxUnavailableStatefulSet --built-in > role.yaml',
    'slipway feature rbac Kites -n toys --tasks /etc/slipway/tasks.yaml',
  ])
    .argument('<gate>', 'name of the gate, in any case')
    .option('-n, --namespace <namespace>', 'namespace of the feature')
    .option('--server-namespace <name>', 'namespace of the feature server', serverNamespace)
    .option('--built-in', 'use the definition included in slipway, without a cluster')
    .option('--tasks <file>', 'the webhooks and jobs of the feature server, for the namespaces of its jobs')
    .addOption(formatOption('yaml', 'json'));
  return withCluster(command).action(async (gate: string, options: RbacOptions) => {
    const definition = options.builtIn
      ? builtIn(gate)
      : await inCluster(await connect(options), gate, options.namespace, { terminal, signal });
    const { objects: rights, unknown } = rightsOf(definition, (await tasksIn(options.tasks))?.jobs);
    const objects = rights.map((object) => inNamespace(labelled(object, 'features'), options.serverNamespace));
    if (objects.length === 0)
      terminal.err(`${definition.spec.gate} needs no rights beyond those of the feature server.\n`);
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    terminal.out(
      options.format === 'json'
        ? jsonContent(list)
        : new Content(objects.map((object) => toYaml(object)).join('---\n')),
    );
    for (const kind of unknown) {
      const hint = kind === 'Job' ? '; --tasks names its file' : '';
      terminal.err(
        `What its tasks of kind ${kind} need is not known here: only the feature server has their settings${hint}.\n`,
      );
    }
  });
}

function builtIn(gate: string): FeatureDefinition {
  const known = builtInDefinitions().map(({ object }) => object);
  const found = known.find(({ metadata }) => metadata.name === featureName(gate));
  if (found) return found;
  const names = known.map(({ spec }) => spec.gate).join(', ');
  throw new CommandError(exit.usage, `no definition of ${gate} comes with slipway`, `name one of ${names}`);
}

async function inCluster(
  kube: Kube,
  gate: string,
  namespace: string | undefined,
  invocation: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<FeatureDefinition> {
  const definitions = kube.resource(FeatureDefinition);
  const name = featureName(gate);
  // The rights are wanted when it is new: the Feature may not be there yet.
  const named = name && namespace && (await definitions.find({ name, namespace }, invocation.signal));
  if (named) return named;
  const { metadata, spec } = await requireFeature(kube, gate, namespace, invocation);
  const ref = { name: metadata.name ?? '', namespace: metadata.namespace };
  const definition = await definitions.find(ref, invocation.signal);
  if (definition) return definition;
  const hint = `define it first, or see what is known of it: slipway feature explain ${spec.gate}`;
  throw new CommandError(exit.no, `${spec.gate} has no definition, so there is nothing that it needs`, hint);
}
