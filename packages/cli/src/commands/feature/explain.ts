import { builtInDefinitions, explainGate, type GateExplanation, kubernetesGates } from '@slipway/features';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { renderTable } from '../../output/table.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';

/** `slipway feature explain GATE`. */
export function explain({ terminal }: Invocation): Command {
  return newCommand('explain', 'Describe a gate of Kubernetes, without a cluster', [
    'slipway feature explain ImageVolume',
    'slipway feature explain ClusterTrustBundle -o json',
  ])
    .argument('<gate>', 'name of the gate, in any case')
    .addOption(outcomeOption())
    .action((gate: string, { format }: { readonly format: Format }) => {
      const explained = explainGate(gate, { catalogue: kubernetesGates, definitions: builtInDefinitions() });
      if (!explained) {
        const message = `nothing is known of ${gate} up to v${kubernetesGates.newest}`;
        throw new CommandError(
          exit.unknown,
          message,
          `slipway feature get ${gate}, if a component of yours reports it`,
        );
      }
      terminal.out(renderOutcome(format, renderExplanation(explained), explained));
    });
}

function renderExplanation(explained: GateExplanation): string {
  const { gate, stages, keps, components, dependsOn, neededBy, disable, lastIn, references, offTasks } = explained;
  const facts: [string, string][] = [
    ['Gate', gate],
    ['KEP', keps?.join(', ') ?? 'not known'],
    ['Components', components?.join(', ') ?? 'not known'],
    ['Needs', dependsOn.join(', ') || 'nothing that is registered'],
    ['Needed by', neededBy.join(', ') || 'nothing that is registered'],
    ['Turning off', disable?.toLowerCase() ?? 'not known whether it is supported'],
    ...(lastIn ? [['Last in', `v${lastIn}`] as [string, string]] : []),
  ];
  const used = references?.map(
    ({ group, resource, path }) => `  ${group ? `${resource}.${group}` : resource}${path ? `: ${path}` : ''}\n`,
  );
  return [
    facts.map(([name, value]) => `${`${name}:`.padEnd(13)}${value}\n`).join(''),
    stages.length > 0 ? `\n${renderStages(stages)}` : '',
    used && used.length > 0 ? `\nUsed by objects at:\n${used.join('')}` : '',
    offTasks && offTasks.length > 0 ? `\nTurning it off runs: ${offTasks.join(', ')}\n` : '',
    references ? '' : '\nWhat uses it is not known: it comes with no definition.\n',
  ].join('');
}

function renderStages(stages: GateExplanation['stages']): string {
  return renderTable(stages, [
    { heading: 'SINCE', cell: ({ version }) => `v${version}` },
    { heading: 'STAGE', cell: ({ stage }) => stage },
    { heading: 'DEFAULT', cell: (entry) => (entry.default ? 'on' : 'off') },
    { heading: 'LOCKED', cell: ({ locked }) => (locked ? 'yes' : 'no') },
  ]);
}
