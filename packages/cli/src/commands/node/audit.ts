import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { type ClusterOptions, connect, withCluster } from '../../runtime/connect.js';
import { exit } from '../../runtime/exit.js';
import { auditNode } from './audit-node.js';
import { renderFindings } from './findings.js';
import { observeNodes } from './observe-nodes.js';

interface Options extends ClusterOptions {
  readonly selector?: string;
  readonly format: Format;
}

/** `slipway node audit`. */
export function audit({ terminal, signal, answer }: Invocation): Command {
  return withCluster(
    newCommand('audit', 'Check on a running cluster what must be true of every node whatever happens', [
      'slipway node audit',
      'slipway node audit -l pool=a -o json',
    ]),
  )
    .option('-l, --selector <labels>', 'only nodes with these labels')
    .addOption(outcomeOption())
    .action(async ({ selector, format, ...cluster }: Options) => {
      const nodes = await observeNodes(await connect(cluster), { selector }, signal);
      const findings = nodes.flatMap((node) => auditNode(node, Date.now()));
      const wrong = findings.filter((finding) => finding.answer === 'no');
      const text = wrong.length === 0 ? `Everything holds on ${nodes.length} nodes.\n` : renderFindings(wrong);
      terminal.out(renderOutcome(format, text, { findings }));
      const [first] = wrong;
      if (!first) return;
      answer(exit.no);
      terminal.err(`To fix: slipway node explain ${first.about}\n`);
    });
}
