import type { NodeSizeSpec } from '@slipway/balloons';
import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { connect, withCluster } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { observeNodes } from './observe-nodes.js';
import { requireNodes } from './size.js';
import { changedSize, readChanges, type SizeChanges } from './size-changes.js';
import { type ResizeOptions, type WantedOptions, wantedSpec, withHow, withWanted } from './size-flags.js';
import { sizeNodes } from './size-nodes.js';

/** `slipway node resize`. */
export function resize(invocation: Invocation): Command {
  return (
    withHow(
      withWanted(
        withCluster(
          newCommand('resize', 'Change how much of nodes pods may use, relative to the present size', [
            'slipway node resize vm-1 +2cpu -4Gi --wait',
            'slipway node resize vm-1 down',
            'slipway node resize -l pool=a --fraction 1/2 --max-parallel 50 --wait',
          ]),
        ).argument('[nodes and changes...]', 'names, and +2cpu, -4Gi, up (twice as large) or down (half as large)'),
      ),
    )
      // A change such as -4Gi is not a flag; an argument that is neither is rejected as a change.
      .allowUnknownOption()
      .action(async (words: readonly string[], options: ResizeOptions & WantedOptions) => {
        const { names, changes } = readWords(words);
        requireNodes(names, options);
        const absolute = wantedSpec(options);
        requireOne(changes, absolute);
        const kube = await connect(options);
        const nodes = await observeNodes(kube, { names, selector: options.selector }, invocation.signal);
        const requests = nodes.map((observed) => ({
          observed,
          spec: absolute ?? changedSize(observed, changes ?? {}),
        }));
        await sizeNodes(kube, requests, options, invocation);
      })
  );
}

function readWords(words: readonly string[]) {
  const isChange = (word: string) => /^[+-]/.test(word) || word === 'up' || word === 'down';
  const said = words.filter(isChange);
  return { names: words.filter((word) => !isChange(word)), changes: said.length > 0 ? readChanges(said) : undefined };
}

function requireOne(changes: SizeChanges | undefined, absolute: NodeSizeSpec | undefined): void {
  const hint = 'give +2cpu, -4Gi, up or down, or flags such as --fraction 1/2';
  if (changes && absolute) throw new CommandError(exit.usage, 'a change and a size exclude each other', hint);
  if (!changes && !absolute) throw new CommandError(exit.usage, 'no change is given', hint);
}
