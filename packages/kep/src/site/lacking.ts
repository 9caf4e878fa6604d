import { assess, isOpen } from '../template/assess.js';
import type { SiteKep } from './site-kep.js';

/** What a proposal still lacks for a stage. */
export interface Lacking {
  /** Titles of the sections that the stage asks for and that are not answered. */
  readonly sections: readonly string[];
  /** What its reviewers would send back. */
  readonly errors: number;
  /** Whether production readiness has to be approved for the stage, and is not. */
  readonly isUnapproved: boolean;
}

/** Undefined for a stage that asks for nothing, such as one on the way out, and for a proposal without a text. */
export function lackingFor(kep: SiteKep, stage: string): Lacking | undefined {
  const { document, template, milestone } = kep.facts;
  if (!document || !template.ladder.names.includes(stage)) return undefined;
  return {
    sections: assess(document, template, { stage, milestone })
      .filter(isOpen)
      .map(({ wanted }) => wanted.title),
    errors: kep.findings.filter(({ severity }) => severity === 'error').length,
    isUnapproved: !kep.approvals.has(stage),
  };
}
