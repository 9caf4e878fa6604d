import type { Command } from 'commander';
import { renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { describeNode } from './describe-node.js';
import { nodeDocument } from './node-rows.js';
import { observeNodes } from './observe-nodes.js';
import { type ResizeOptions, type WantedOptions, wantedSpec, withHow, withWanted } from './size-flags.js';
import { sizeNodes } from './size-nodes.js';

/** `slipway node size`. */
export function size(invocation: Invocation): Command {
  return withHow(
    withWanted(
      withCluster(
        newCommand('size', 'Set how much of nodes pods may use; without a size, show it', [
          'slipway node size vm-1',
          'slipway node size vm-1 --cpu 4 --memory 16Gi --wait --timeout 20s',
          'slipway node size vm-1 --fraction 1/4 --dry-run',
          'slipway node size -l pool=a --balloon-cpu 12 --balloon-memory 48Gi --best-effort --wait',
          'slipway node size vm-1 --full',
        ]),
      ).argument('[nodes...]', 'names of nodes'),
    ),
  ).action(async (names: readonly string[], options: ResizeOptions & WantedOptions) => {
    requireNodes(names, options);
    const spec = wantedSpec(options);
    const kube = await connect(options);
    const nodes = await observeNodes(kube, { names, selector: options.selector }, invocation.signal);
    if (spec) {
      await sizeNodes(
        kube,
        nodes.map((observed) => ({ observed, spec })),
        options,
        invocation,
      );
      return;
    }
    const now = Date.now();
    const documents = nodes.map(nodeDocument);
    invocation.terminal.out(
      renderOutcome(
        options.format,
        nodes.map((node) => describeNode(node, now)).join('\n'),
        documents.length === 1 ? documents[0] : { apiVersion: 'v1', kind: 'List', items: documents },
      ),
    );
  });
}

/** @throws CommandError (usage) when nothing says which nodes, or two things do. */
export function requireNodes(names: readonly string[], { selector }: ResizeOptions): void {
  if (names.length > 0 && selector !== undefined) {
    throw new CommandError(exit.usage, 'nodes are given both by name and by label', 'give names or -l, not both');
  }
  if (names.length > 0 || selector !== undefined) return;
  throw new CommandError(exit.usage, 'no node is named', 'name one from slipway node list, or select with -l');
}
