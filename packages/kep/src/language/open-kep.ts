import type { Finding } from '../check/finding.js';
import type { Lines } from '../document/lines.js';
import type { FileRole, KepFacts } from '../facts/rule.js';

/** A proposal as an editor has it: its files with what was typed so far, and what the rules say. */
export interface OpenKep {
  readonly facts: KepFacts;
  readonly findings: readonly Finding[];
}

/** The text of one file of a proposal, with its lines; undefined when it is not there. */
export function fileOf(
  { facts }: OpenKep,
  role: FileRole,
): { readonly text: string; readonly lines: Lines } | undefined {
  return { readme: facts.document, yaml: facts.yaml, approval: facts.approval }[role];
}
