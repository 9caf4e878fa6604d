import { findCondition, isConditionTrue, type KubeObject } from '@slipway/kube';
import type { NodeSize } from '../api/node-size.js';
import type { NodeNumbers } from '../nodes/node-numbers.js';
import { type ObservedNode, requestedBy } from '../nodes/observed-node.js';
import { type Amounts, formatCpu, formatMemory, parseAmounts } from '../planner/amounts.js';
import { inWords } from './amount-words.js';

/** A pod and what it takes of its node. */
export interface Taker {
  /** `namespace/name` */
  readonly pod: string;
  readonly amounts: Amounts;
  /** `ReplicaSet web-5d4, ...`; empty for a pod of its own. */
  readonly owner: string;
}

/** Lists the pods that take something, those that take most first. */
export function takersOf(pods: readonly KubeObject[]): readonly Taker[] {
  return pods
    .map((pod) => ({
      pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
      amounts: requestedBy(pod),
      owner: pod.metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`).join(', ') ?? '',
    }))
    .filter(({ amounts }) => amounts.cpu > 0n || amounts.memory > 0n)
    .sort((a, b) => Number(b.amounts.cpu - a.amounts.cpu) || Number(b.amounts.memory - a.amounts.memory));
}

/** One of the amounts of a node, with its meaning. */
export interface AmountLine {
  readonly name: keyof NodeNumbers | 'floor' | 'recommended';
  readonly amounts: Amounts;
  readonly meaning: string;
}

const meanings: readonly (readonly [keyof NodeNumbers, string])[] = [
  ['hardware', 'what the machine has'],
  ['allocatable', 'what the kubelet has for pods'],
  ['balloon', 'what does not exist for pods'],
  ['size', 'what pods may use'],
  ['requested', 'what pods ask for'],
  ['free', 'what is left of the size'],
];

/** All amounts of a node, from the machine to what is free. */
export function amountLines({ numbers, size }: Pick<ObservedNode, 'numbers' | 'size'>): readonly AmountLine[] {
  const { floor, recommended } = size?.status ?? {};
  const told = [
    ['floor', floor, 'the smallest size that can be reached now'],
    ['recommended', recommended, 'the size that the autosizer would give it'],
  ] as const;
  return [
    ...meanings.map(([name, meaning]) => ({ name, amounts: numbers[name], meaning })),
    ...told.flatMap(([name, text, meaning]) => (text ? [{ name, amounts: parseAmounts(text), meaning }] : [])),
  ];
}

/** `Size 2 / 4Gi, as far as it fits`: the size that is asked for. */
export function wantedInWords({ mode = 'Full', size, balloon, fraction, fit }: NodeSize['spec']): string {
  const amounts = mode === 'Size' ? size : mode === 'Balloon' ? balloon : undefined;
  const cpu = amounts?.cpu === undefined ? 'all' : formatCpu(parseAmounts(amounts).cpu);
  const memory = amounts?.memory === undefined ? 'all' : formatMemory(parseAmounts(amounts).memory);
  const wanted = amounts ? `${mode} ${cpu} / ${memory}` : fraction ? `${mode} ${fraction}` : mode;
  return fit === 'BestEffort' ? `${wanted}, as far as it fits` : wanted;
}

/** Why a node is as it is, in one sentence, and the command that comes next; none where nothing is to be done. */
export interface NodeNext {
  readonly why: string;
  readonly command?: string;
}

/** @param takers as `takersOf` lists them */
export function nextOfNode(
  { node, size, numbers }: Pick<ObservedNode, 'node' | 'size' | 'numbers'>,
  [largest]: readonly Taker[],
): NodeNext {
  const { conditions, resize, lastResize } = size?.status ?? {};
  const set = `slipway node size ${node.name}`;
  if (!size) return { why: 'Nothing manages the node, so it is whole.', command: `${set} --fraction 1/2` };
  if (resize) return { why: `A resize is at work: ${resize.phase}.`, command: `slipway node explain ${node.name}` };
  if (isConditionTrue(conditions, 'Degraded')) {
    const wrong = findCondition(conditions, 'Degraded')?.message;
    return { why: `Something is wrong: ${wrong}.`, command: 'slipway node list' };
  }
  if (isConditionTrue(conditions, 'Ready')) {
    return { why: `It has the size it should: ${inWords(numbers.size)}, of which ${inWords(numbers.free)} are free.` };
  }
  const why = `It waits: ${findCondition(conditions, 'Ready')?.message ?? 'No controller has looked at it yet'}.`;
  if (lastResize?.result !== 'DoesNotFit' || !largest) return { why, command: `${set} --full` };
  return {
    why: `${why} Of its pods ${largest.pod} asks for most.`,
    command: [set, ...sizeFlags(size.spec), '--best-effort'].join(' '),
  };
}

/** The flags of `slipway node size` that ask for the size of a spec. */
function sizeFlags({ mode, size, balloon, fraction }: NodeSize['spec']): string[] {
  if (fraction !== undefined) return ['--fraction', fraction];
  const [amounts, prefix] = mode === 'Balloon' ? [balloon, '--balloon-'] : [size, '--'];
  return Object.entries(amounts ?? {}).flatMap(([resource, amount]) => [`${prefix}${resource}`, String(amount)]);
}
