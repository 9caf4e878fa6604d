import { createHash } from 'node:crypto';
import { fieldOf } from '../uses/transport.js';

/** A rule of a published value: the processes it covers run `value`, whatever the rest runs. */
export interface CanaryRule {
  readonly value: boolean;
  /** Share of all processes, from 0 to 100. */
  readonly percent?: number | undefined;
  /** Labels of the process's node or pod, all of which must be so. */
  readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> } | undefined;
}

/** What of a process decides whether a rule covers it. */
export interface CanaryMember {
  readonly instance: string;
  readonly node?: string | undefined;
  /** Labels of its node or pod. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Buckets that processes are put into. */
const buckets = 10_000;

/**
 * The bucket of a process for one gate, from 0 to 9,999: the first four bytes of the
 * SHA-256 of the gate, a line feed and its node (without one, its instance), modulo
 * 10,000. It stays the same, so a larger share contains every smaller one.
 */
export function canaryBucket(gate: string, { instance, node }: CanaryMember): number {
  const hash = createHash('sha256')
    .update(`${gate}\n${node ?? instance}`)
    .digest();
  return hash.readUInt32BE(0) % buckets;
}

/** Whether a rule covers a process. */
export function covers({ percent, selector }: CanaryRule, gate: string, member: CanaryMember): boolean {
  if (percent !== undefined) return canaryBucket(gate, member) < (percent * buckets) / 100;
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return wanted.length > 0 && wanted.every(([label, value]) => member.labels?.[label] === value);
}

/** The rules of a published value; undefined when one is of a form that this version does not know. */
export function readRules(rules: unknown): readonly CanaryRule[] | undefined {
  if (rules === undefined || rules === null) return [];
  if (!Array.isArray(rules)) return undefined;
  const known = rules.map(readRule);
  return known.every((rule) => rule !== undefined) ? known : undefined;
}

function readRule(rule: unknown): CanaryRule | undefined {
  const value = fieldOf(rule, 'value');
  const percent = fieldOf(rule, 'percent');
  const matchLabels = fieldOf(rule, 'selector', 'matchLabels');
  if (typeof value !== 'boolean') return undefined;
  if (typeof percent === 'number' && matchLabels === undefined) return { value, percent };
  const isMap = typeof matchLabels === 'object' && matchLabels !== null && percent === undefined;
  return isMap ? { value, selector: { matchLabels: matchLabels as Record<string, string> } } : undefined;
}
