import { minorOf } from '../metadata/kep-yaml.js';
import { stages } from '../metadata/stage.js';
import type { KepFacts } from './rule.js';

/** The first release that asked for approvals. */
const firstMinor = 21;

/** Whether a stage needs an approver of its production readiness. */
export function needsApproval({ yaml, stage }: KepFacts): boolean {
  const status = yaml?.one('status')?.value;
  const minor = minorOf(yaml?.one('latest-milestone')?.value);
  const isPlanned = status === 'implementable' || status === 'implemented';
  return isPlanned && minor !== undefined && minor >= firstMinor && (stages as readonly string[]).includes(stage);
}

/** Whether the name of an approver only keeps the place for one. */
export function isNobody(approver: string): boolean {
  return /^@?tbd$/i.test(approver);
}
