import { printableJson } from '@slipway/safe-yaml/printable';
import type { Finding } from './finding.js';
import { type Tally, tally } from './tally.js';

/** The findings of one proposal as reports and later runs take them, without making them objects again. */
export interface KeptFindings {
  readonly tally: Tally;
  /** The elements of `results` in the JSON report, without the brackets around them, in UTF-8. Empty without findings. */
  readonly json: Uint8Array;
  /** What that report leaves out, as JSON in UTF-8. */
  readonly rest: Uint8Array;
}

/** The findings of one proposal, which are read when they are asked for where they are kept from an earlier run. */
export interface ProposalFindings {
  /** Of the proposal, relative to the root. */
  readonly directory: string;
  readonly findings: readonly Finding[];
  /** The same; undefined for results that no later run may use. */
  readonly kept?: KeptFindings | undefined;
}

/** What the report leaves out of a finding: `unsuppressible` and `fix`. */
type Rest = readonly [boolean, Finding['fix'] | null];

type Row = ReturnType<typeof rowOf>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Prepares findings for reports and later runs. */
export function keepFindings(findings: readonly Finding[]): KeptFindings {
  const rest = findings.map(({ unsuppressible, fix }): Rest => [unsuppressible, fix ?? null]);
  return {
    tally: tally(findings),
    json: encoder.encode(findingsJson(findings)),
    rest: encoder.encode(JSON.stringify(rest)),
  };
}

/** Reads what `keepFindings` made. */
export function readFindings({ json, rest }: KeptFindings): Finding[] {
  const rows: readonly Row[] = JSON.parse(`[${decoder.decode(json)}]`);
  const more: readonly Rest[] = JSON.parse(decoder.decode(rest));
  return rows.map((row, at) => {
    const [unsuppressible, fix] = more[at] ?? [false, null];
    const { section, waived } = row;
    return {
      ...row,
      section: section ?? undefined,
      waived: waived ?? undefined,
      fix: fix ?? undefined,
      unsuppressible,
    };
  });
}

/** Findings as elements of `results` in the JSON report, without the brackets around them. */
export function findingsJson(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const results = JSON.stringify({ results: findings.map(rowOf) }, null, 2);
  return printableJson(results.slice(results.indexOf('[') + 2, results.lastIndexOf('\n  ]')));
}

/** Field by field: spreading thousands of findings takes longer than writing them. */
function rowOf(finding: Finding) {
  return {
    rule: finding.rule,
    slug: finding.slug,
    severity: finding.severity,
    kep: finding.kep,
    path: finding.path,
    file: finding.file,
    span: finding.span,
    message: finding.message,
    baselined: finding.baselined,
    fingerprint: finding.fingerprint,
    section: finding.section ?? null,
    fix: finding.fix ? { safety: finding.fix.safety, edits: finding.fix.edits.length } : null,
    waived: finding.waived ?? null,
  };
}
