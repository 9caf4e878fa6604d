import {
  Feature,
  gatesOfFeatures,
  kubernetesGates,
  kubernetesNamespace,
  type RenderTarget,
  renderGates,
  renderTargets,
  type SettledGates,
  settleGates,
} from '@slipway/features';
import { type Command, Option } from 'commander';
import { gateValues } from '../../local-cluster/cluster-flags.js';
import { outputOption } from '../../output/format.js';
import { renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { targetVersion } from '../../runtime/target-version.js';
import type { Terminal } from '../../runtime/terminal.js';
import { served } from './find-feature.js';
import { reportLiveness } from './report-liveness.js';

interface Options extends ClusterOptions {
  readonly for: RenderTarget;
  readonly version: string;
  readonly format: 'text' | 'json' | 'yaml';
}

/** `slipway feature render [GATE=true...] --for TARGET --version VERSION`. */
export function render({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('render', 'Print configuration that sets gates where Slipway cannot: exactly what a version accepts', [
      'slipway feature render MaxUnavailableStatefulSet=true --for kubeadm --version v1.36',
      'slipway feature render --for talos --version v1.36',
    ]),
  )
    .argument('[gates...]', "GATE=true or GATE=false (default: the desired states of the cluster's Features)")
    .addOption(new Option('--for <what>', 'what reads it').choices(renderTargets).makeOptionMandatory())
    .requiredOption('--version <version>', 'minor version of Kubernetes, for example v1.36', targetVersion)
    .addOption(outputOption(['text', 'json', 'yaml']))
    .action(async (gates: readonly string[], { for: target, version, format, ...cluster }: Options) => {
      const wishes = gates.length > 0 ? typed(gates) : await asked(cluster, { terminal, signal });
      const settled = settleGates(wishes, version, kubernetesGates);
      const text = renderGates(settled, target, version);
      terminal.out(format === 'text' ? text : renderOutcome(format, text, { version, for: target, ...settled }));
      if (told(settled, version, terminal)) answer(exit.no);
    });
}

function typed(gates: readonly string[]): ReadonlyMap<string, boolean> {
  return new Map(gates.flatMap((text) => Object.entries(gateValues(text))));
}

/** @throws CommandError (usage) when no Feature asks for anything */
async function asked(
  cluster: ClusterOptions,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<ReadonlyMap<string, boolean>> {
  const kube = await connect(cluster);
  const { items } = await served(() => kube.resource(Feature).list({ namespace: kubernetesNamespace, signal }));
  await reportLiveness(kube, items, { terminal, signal });
  const wishes = gatesOfFeatures(items);
  if (wishes.size > 0) return wishes;
  const hint = 'name gates: slipway feature render MaxUnavailableStatefulSet=true --for flags --version v1.36';
  throw new CommandError(exit.usage, 'no Feature of the cluster asks for a value that flags set', hint);
}

/** Says which wishes the version does not grant. False when it grants all of them. */
function told({ leftOut }: SettledGates, version: string, terminal: Terminal): boolean {
  const unmet = leftOut.filter(({ isMet }) => !isMet);
  if (unmet.length === 0) return false;
  for (const { gate, value, why } of unmet)
    terminal.err(`slipway: ${gate}=${value} is not to be had in ${version}: ${why}\n`);
  terminal.err(`To fix: slipway feature explain ${unmet[0]?.gate}\n`);
  return true;
}
