import type { KepFacts } from '../facts/rule.js';
import type { Finding } from './finding.js';

/** A finding that was there when the rules were adopted, and how far the proposal was then. */
export interface BaselineEntry {
  readonly fingerprint: string;
  readonly rule: string;
  readonly kep: string;
  readonly stage: string;
  readonly milestone: string;
  /** Findings of this fingerprint; more than these count. */
  readonly n: number;
}

/** The known findings of a repository. */
export interface Baseline {
  /**
   * Whether a finding is known and the proposal is where it was: an entry expires
   * when `stage` or `latest-milestone` changes. Each call uses up one of the entry's count.
   */
  hides(fingerprint: string, facts: KepFacts): boolean;
}

/** Reads the text of a baseline file. @throws SyntaxError when it is none */
export function readBaseline(text: string): BaselineEntry[] {
  const value: unknown = JSON.parse(text);
  const entries = isRecord(value) && value.version === 1 && Array.isArray(value.entries) ? value.entries : undefined;
  if (!entries) throw new SyntaxError('this is not a baseline of version 1');
  return entries.map((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.fingerprint !== 'string') throw new SyntaxError('an entry has no fingerprint');
    return {
      fingerprint: entry.fingerprint,
      rule: String(entry.rule ?? ''),
      kep: String(entry.kep ?? ''),
      stage: String(entry.stage ?? ''),
      milestone: String(entry.milestone ?? ''),
      n: typeof entry.n === 'number' ? entry.n : 1,
    };
  });
}

/** A baseline that counts down as findings are asked for. */
export function createBaseline(entries: readonly BaselineEntry[]): Baseline {
  const left = new Map(entries.map((entry) => [entry.fingerprint, { ...entry }]));
  return {
    hides(fingerprint, facts) {
      const entry = left.get(fingerprint);
      if (!entry || entry.n <= 0) return false;
      const { stage, milestone } = standing(facts);
      if (entry.stage !== stage || entry.milestone !== milestone) return false;
      left.set(fingerprint, { ...entry, n: entry.n - 1 });
      return true;
    },
  };
}

/** Everything found, as entries: one a line, sorted, so that merges stay small. */
export function writeBaseline(found: readonly { readonly finding: Finding; readonly facts: KepFacts }[]): string {
  const entries = new Map<string, BaselineEntry>();
  for (const { finding, facts } of found) {
    if (finding.severity === 'info' || finding.waived !== undefined) continue;
    const { fingerprint, rule, kep } = finding;
    const known = entries.get(fingerprint);
    entries.set(fingerprint, { rule, kep, fingerprint, ...standing(facts), n: (known?.n ?? 0) + 1 });
  }
  const sorted = [...entries.values()].sort(
    (one, other) =>
      compare(one.kep, other.kep) || compare(one.rule, other.rule) || compare(one.fingerprint, other.fingerprint),
  );
  const lines = sorted.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n');
  return `{\n  "version": 1,\n  "entries": [\n${lines}\n  ]\n}\n`;
}

/** How far a proposal is, as it is typed. */
function standing({ yaml }: KepFacts): { stage: string; milestone: string } {
  return { stage: yaml?.one('stage')?.value ?? '', milestone: yaml?.one('latest-milestone')?.value ?? '' };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
