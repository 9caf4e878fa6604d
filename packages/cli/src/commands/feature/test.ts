import { hostname } from 'node:os';
import { defaultVersion, supportedVersions } from '@slipway/devcluster/versions';
import {
  builtInDefinitions,
  FeatureDefinition,
  featureLifecycle,
  type LifecycleReport,
  type LifecycleStep,
} from '@slipway/features';
import type { Kube } from '@slipway/kube';
import { type Command, Option } from 'commander';
import { type Format, formatOption, renderList } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import type { Terminal } from '../../runtime/terminal.js';
import { timeoutOption } from '../../runtime/wait.js';
import { served } from './find-feature.js';

interface Options extends ClusterOptions {
  readonly all?: boolean;
  readonly cluster: 'devcluster' | 'current';
  readonly yes?: boolean;
  readonly timeout: number;
  readonly format: Format;
}

/** `slipway feature test [GATE...]`. */
export function test(invocation: Invocation): Command {
  return withCluster(
    newCommand('test', 'Test features: turn on, use, turn off, turn on again, and list leftovers', [
      'slipway feature test MaxUnavailableStatefulSet',
      'slipway feature test --all',
      'slipway feature test FastPath --cluster current --yes',
    ]),
  )
    .argument('[gates...]', 'names of gates, in any case')
    .option('--all', 'every definition of the cluster whose processes take values from the API')
    .addOption(
      new Option('--cluster <which>', 'a cluster made for the test, or the one of the kubeconfig')
        .choices(['devcluster', 'current'])
        .default('devcluster'),
    )
    .option('--yes', 'approve turning features of the current cluster on and off and clearing their uses')
    .addOption(timeoutOption('how long to wait for each transition'))
    .addOption(formatOption('table', 'json', 'yaml'))
    .action((gates: readonly string[], options: Options) => run(gates, options, invocation));
}

async function run(gates: readonly string[], options: Options, invocation: Invocation): Promise<void> {
  const { terminal, signal, answer } = invocation;
  if (gates.length === 0 && !options.all) {
    throw new CommandError(exit.usage, 'no gate is named', 'slipway feature test --all');
  }
  if (options.cluster === 'current' && !options.yes) {
    const message = 'the test turns features of this cluster on and off and clears their uses';
    throw new CommandError(exit.usage, message, 'add --yes, or leave out --cluster current');
  }
  await using tried = options.cluster === 'current' ? await current(options) : await ownCluster(signal);
  const definitions = await chosen(tried.kube, gates, options, signal);
  const reports: LifecycleReport[] = [];
  for (const definition of definitions) {
    const tell = (step: LifecycleStep) => {
      if (options.format === 'table') terminal.out(line(definition.spec.gate, step));
    };
    reports.push(
      await featureLifecycle({ kube: tried.kube, definition, withinMs: options.timeout, signal, onStep: tell }),
    );
  }
  if (options.format !== 'table')
    terminal.out(renderList(reports, { format: options.format, columns: [], document: reports }));
  const failed = reports.filter(({ passed }) => !passed);
  if (failed.length > 0) {
    answer(exit.no);
    told(failed, terminal);
  }
}

/** A cluster to be tried on, closed when the test is over. */
interface Tried extends AsyncDisposable {
  readonly kube: Kube;
}

async function current(options: ClusterOptions): Promise<Tried> {
  return { kube: await connect(options), async [Symbol.asyncDispose]() {} };
}

async function ownCluster(signal: AbortSignal): Promise<Tried> {
  const [{ startCluster }, { startFeatures }] = await Promise.all([
    import('@slipway/devcluster'),
    import('../../local-cluster/features.js'),
  ]);
  // Later versions have locked some gates of the catalogue: they cannot be turned there.
  const [version = defaultVersion] = supportedVersions;
  const cluster = await startCluster({ name: `test-${hostname()}`.slice(0, 40).toLowerCase(), version, nodes: 1 });
  await startFeatures(cluster, signal);
  await cluster.ready();
  return { kube: cluster.kube(), [Symbol.asyncDispose]: () => cluster.stop() };
}

/** What is to be tried. With `--all`: what can be turned from here, which a feature set by flags cannot. */
async function chosen(
  kube: Kube,
  gates: readonly string[],
  { all }: Options,
  signal: AbortSignal,
): Promise<readonly FeatureDefinition[]> {
  const { items } = await served(() => kube.resource(FeatureDefinition).list({ signal }));
  const known = all ? items.filter(({ spec }) => spec.dynamic === 'Live') : items;
  if (gates.length === 0) return known;
  return gates.map((gate) => {
    const found = items.find(({ metadata }) => metadata.name === gate.toLowerCase());
    if (found) return found;
    const shipped = builtInDefinitions().some(({ object }) => object.metadata.name === gate.toLowerCase());
    const why = shipped ? 'no component of this cluster takes its value from the API' : 'nothing declares it';
    throw new CommandError(exit.usage, `${gate} cannot be tested here: ${why}`, 'slipway feature test --all');
  });
}

function line(gate: string, { name, result, detail }: LifecycleStep): string {
  return `${result.padEnd(8)}${gate}  ${name}: ${detail}\n`;
}

function told(failed: readonly LifecycleReport[], terminal: Terminal): void {
  terminal.err(`slipway: ${failed.map(({ gate }) => gate).join(', ')} did not live as it should\n`);
  terminal.err(`To fix: slipway feature explain ${failed[0]?.gate}\n`);
}
