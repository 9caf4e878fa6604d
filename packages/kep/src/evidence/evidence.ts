import { parseYaml, toYaml, YamlError } from '@slipway/safe-yaml';
import { fingerprint } from '../document/fingerprint.js';
import { type Stage, stages } from '../metadata/stage.js';

/** What came of asking a cluster for a claim. */
export const claimResults = ['verified', 'weak', 'refuted', 'unobservable', 'skipped'] as const;
export type ClaimResult = (typeof claimResults)[number];

/** One claim as a run found it. */
export interface EvidenceClaim {
  readonly id: string;
  readonly result: ClaimResult;
  readonly detail: string;
}

/** What a run of `slipway kep verify` found, as it lies in `evidence/` beside the README. */
export interface Evidence {
  readonly stage: Exclude<Stage, 'draft'>;
  /** Of the claims that were checked. */
  readonly claimsHash: string;
  /** `v1.34.1` */
  readonly serverVersion: string;
  /** The cluster was a simulation. */
  readonly simulated: boolean;
  /** RFC 3339. */
  readonly finishedAt: string;
  readonly claims: readonly EvidenceClaim[];
}

/** An evidence file; `edited` when its text is not what was written. */
export interface EvidenceFile {
  readonly name: string;
  readonly evidence: Evidence | undefined;
  readonly edited: boolean;
}

const kind = { apiVersion: 'kep.slipway.dev/v1alpha1', kind: 'KepEvidence' } as const;

/** The text of an evidence file. It ends with a hash of itself, so that a manual change is detected. */
export function writeEvidence(evidence: Evidence): string {
  const body = toYaml({ ...kind, ...evidence });
  return `${body}contentHash: ${fingerprint(body)}\n`;
}

/** `alpha-v1.34.1-20260724.yaml` */
export function evidenceName({ stage, serverVersion, finishedAt }: Evidence): string {
  return `${stage}-${serverVersion.replace(/[^\w.-]+/g, '_')}-${finishedAt.slice(0, 10).replaceAll('-', '')}.yaml`;
}

/** Reads an evidence file. Never throws: what cannot be read has no `evidence`. */
export function readEvidence(name: string, text: string): EvidenceFile {
  const hash = /^contentHash: (\S+)\s*$/m.exec(text);
  const body = hash ? text.slice(0, hash.index) : text;
  const edited = hash?.[1] !== fingerprint(body);
  try {
    return { name, edited, evidence: evidenceOf(parseYaml(text)) };
  } catch (error) {
    if (error instanceof YamlError) return { name, edited, evidence: undefined };
    throw error;
  }
}

function evidenceOf(value: unknown): Evidence | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const read = value as Record<string, unknown>;
  if (read.kind !== kind.kind || !(stages as readonly unknown[]).includes(read.stage) || !Array.isArray(read.claims))
    return undefined;
  return {
    stage: read.stage as Evidence['stage'],
    claimsHash: String(read.claimsHash ?? ''),
    serverVersion: String(read.serverVersion ?? ''),
    simulated: read.simulated === true,
    finishedAt: String(read.finishedAt ?? ''),
    claims: read.claims.flatMap(claimOf),
  };
}

function claimOf(value: unknown): EvidenceClaim[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, result, detail } = value as Record<string, unknown>;
  if (typeof id !== 'string' || !(claimResults as readonly unknown[]).includes(result)) return [];
  return [{ id, result: result as ClaimResult, detail: String(detail ?? '') }];
}

/** The newest evidence for a stage. */
export function newestFor(files: readonly EvidenceFile[], stage: string): EvidenceFile | undefined {
  const forStage = files.filter(({ evidence }) => evidence?.stage === stage);
  return [...forStage].sort((one, other) => compare(other.evidence?.finishedAt, one.evidence?.finishedAt))[0];
}

function compare(one = '', other = ''): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
