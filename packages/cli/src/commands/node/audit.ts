import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { exit } from '../../runtime/exit.js';
import { readHarmEvidence } from './audit-harm.js';
import { auditNode } from './audit-node.js';
import { type Finding, renderFindings } from './findings.js';
import { observeNodes } from './observe-nodes.js';

interface Options extends ClusterOptions {
  readonly selector?: string;
  readonly format: Format;
}

/** `slipway node audit`. */
export function audit({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('audit', 'Check the invariants of all nodes of a running cluster', [
      'slipway node audit',
      'slipway node audit -l pool=a -o json',
    ]),
  )
    .option('-l, --selector <labels>', 'only nodes with these labels')
    .addOption(outcomeOption())
    .action(async ({ selector, format, ...cluster }: Options) => {
      const kube = await connect(cluster);
      const nodes = await observeNodes(kube, { selector }, signal);
      const evidence = await readHarmEvidence(kube, signal);
      const findings = nodes.flatMap((node) => auditNode(node, evidence, Date.now()));
      const wrong = findings.filter((finding) => finding.answer === 'no');
      const text = wrong.length === 0 ? allHolds(findings, nodes.length) : renderFindings(wrong);
      terminal.out(renderOutcome(format, text, { findings }));
      const [first] = wrong;
      if (!first) return;
      answer(exit.no);
      terminal.err(`To fix: slipway node explain ${first.about}\n`);
    });
}

function allHolds(findings: readonly Finding[], nodes: number): string {
  const unknown = findings.filter(({ answer }) => answer === 'unknown');
  if (unknown.length === 0) return `Everything holds on ${nodes} nodes.\n`;
  return `Everything that can be checked holds on ${nodes} nodes.\n\n${renderFindings(unknown)}`;
}
