import { type NodeSizeSpec, WishError, wholeFraction } from '@slipway/balloons';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { quantity, wholeNumber } from '../../local-cluster/cluster-flags.js';
import type { Format } from '../../output/format.js';
import { outcomeOption } from '../../output/outcome.js';
import type { ClusterOptions } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { type WaitOptions, withWait } from '../../runtime/wait.js';

/** How a resize is carried out, whatever the size. */
export interface ResizeOptions extends ClusterOptions, WaitOptions {
  readonly selector?: string;
  readonly bestEffort?: boolean;
  readonly fence?: 'auto' | 'always' | 'never';
  readonly forceConflicts?: boolean;
  readonly dryRun?: boolean;
  readonly maxParallel: number;
  readonly format: Format;
}

/** The flags that name the desired size of a node. */
export interface WantedOptions {
  readonly cpu?: string;
  readonly memory?: string;
  readonly balloonCpu?: string;
  readonly balloonMemory?: string;
  readonly fraction?: string;
  readonly full?: boolean;
}

export function withHow(command: Command): Command {
  return withWait(command)
    .option('-l, --selector <labels>', 'all nodes with these labels')
    .option('--best-effort', 'come as close as it fits instead of changing nothing')
    .addOption(
      new Option(
        '--fence <when>',
        'whether new pods are kept away while a node shrinks; the policy says when absent',
      ).choices(['auto', 'always', 'never']),
    )
    .option('--force-conflicts', 'even if another manager applied the size')
    .option('--dry-run', 'print what would be done only')
    .option('--max-parallel <n>', 'nodes resized at a time, of several', wholeNumber(1, 1_000), 50)
    .addOption(outcomeOption());
}

export function withWanted(command: Command): Command {
  return command
    .option('--cpu <quantity>', 'cpu for pods; all of it when only memory is named', quantity('4'))
    .option('--memory <quantity>', 'memory for pods; all of it when only cpu is named', quantity('16Gi'))
    .option('--balloon-cpu <quantity>', 'cpu to hide: the size follows the hardware', quantity('12'))
    .option('--balloon-memory <quantity>', 'memory to hide: the size follows the hardware', quantity('48Gi'))
    .option('--fraction <part>', 'a part of the node, such as 1/4', fraction)
    .option('--full', 'all of the node');
}

function fraction(text: string): string {
  try {
    wholeFraction(text);
    return text;
  } catch (error) {
    throw error instanceof WishError ? new InvalidArgumentError(error.message) : error;
  }
}

/**
 * Returns the spec that the flags describe; undefined when they name no size.
 * @throws CommandError (usage) when they contradict each other.
 */
export function wantedSpec(wanted: WantedOptions): NodeSizeSpec | undefined {
  const { cpu, memory, balloonCpu, balloonMemory, fraction: part, full } = wanted;
  const ways: NodeSizeSpec[] = [];
  if (cpu !== undefined || memory !== undefined) ways.push({ mode: 'Size', size: named(cpu, memory) });
  if (balloonCpu !== undefined || balloonMemory !== undefined) {
    ways.push({ mode: 'Balloon', balloon: named(balloonCpu, balloonMemory) });
  }
  if (part !== undefined) ways.push({ mode: 'Fraction', fraction: part });
  if (full) ways.push({ mode: 'Full' });
  if (ways.length <= 1) return ways[0];
  const message = `a node has one size, and the flags name ${ways.length}`;
  throw new CommandError(exit.usage, message, 'give --cpu and --memory, or --balloon-*, or --fraction, or --full');
}

/** Applies the flags `--best-effort` and `--fence` to a spec. */
export function applyResizeFlags(spec: NodeSizeSpec, { bestEffort, fence }: ResizeOptions): NodeSizeSpec {
  const modes = { auto: 'Auto', always: 'Always', never: 'Never' } as const;
  return { ...spec, ...(bestEffort && { fit: 'BestEffort' }), ...(fence && { fence: modes[fence] }) };
}

function named(cpu: string | undefined, memory: string | undefined) {
  return { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
}
