import {
  type Amounts,
  formatCpu,
  formatMemory,
  type NodeSizeSpec,
  type ObservedNode,
  parseAmounts,
} from '@slipway/balloons';
import { inWords } from '@slipway/balloons/views';
import { QuantityError } from '@slipway/kube';
import { CommandError, exit } from '../../runtime/exit.js';

/** How a size is to change: by an amount, or by a factor of two. */
export type SizeChanges = { readonly by?: Amounts; readonly times?: 'double' | 'half' };

/**
 * Reads `+2cpu`, `-500mcpu`, `+4Gi`, `up`, `down`; several amounts add up.
 * @throws CommandError (usage) for a word that is none of these.
 */
export function readChanges(words: readonly string[]): SizeChanges {
  const [first] = words;
  if (words.length === 1 && first === 'up') return { times: 'double' };
  if (words.length === 1 && first === 'down') return { times: 'half' };
  let by: Amounts = { cpu: 0n, memory: 0n };
  for (const word of words) {
    const change = readChange(word);
    by = { cpu: by.cpu + change.cpu, memory: by.memory + change.memory };
  }
  return { by };
}

function readChange(word: string): Amounts {
  const [, sign, amount = '', unit] = /^([+-])([0-9.]+[A-Za-z]*?)(cpu)?$/.exec(word) ?? [];
  try {
    if (sign === undefined) throw new QuantityError('');
    const value = parseAmounts(unit ? { cpu: amount } : { memory: amount });
    return sign === '+' ? value : { cpu: -value.cpu, memory: -value.memory };
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    const message = `"${word}" is not a change of a size`;
    throw new CommandError(exit.usage, message, 'write +2cpu, -500mcpu, +4Gi or -4Gi, or one of up and down');
  }
}

/**
 * The size that a node has after a change. A resource that is whole and does not change stays whole.
 * @throws CommandError (no) when nothing would be left.
 */
export function changedSize({ node, numbers }: ObservedNode, changes: SizeChanges): NodeSizeSpec {
  const size = {
    cpu: changed(numbers.size.cpu, changes, 'cpu', numbers.allocatable.cpu),
    memory: changed(numbers.size.memory, changes, 'memory', numbers.allocatable.memory),
  };
  if (size.cpu <= 0n || size.memory <= 0n) {
    const message = `${node.name}: it has ${inWords(numbers.size)} for pods, and nothing would be left`;
    throw new CommandError(exit.no, message, `slipway node explain ${node.name}`);
  }
  const isWhole = (resource: keyof Amounts) =>
    size[resource] === numbers.size[resource] && numbers.balloon[resource] <= smallest[resource];
  return {
    mode: 'Size',
    size: {
      ...(!isWhole('cpu') && { cpu: formatCpu(size.cpu) }),
      ...(!isWhole('memory') && { memory: formatMemory(size.memory) }),
    },
  };
}

/** A balloon of no more than this hides nothing. */
const smallest: Amounts = { cpu: 0n, memory: 8n * 1024n ** 2n };

function changed(now: bigint, { by, times }: SizeChanges, resource: keyof Amounts, most: bigint): bigint {
  if (times === 'half') return now / 2n;
  if (times === 'double') return now * 2n > most ? most : now * 2n;
  return now + (by?.[resource] ?? 0n);
}
