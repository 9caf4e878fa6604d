import type { Finding } from '../check/finding.js';
import { reportChecklist } from './checklist.js';
import { reportGithub } from './github.js';
import { reportJson } from './json.js';
import { reportMarkdown } from './markdown.js';
import { reportPretty } from './pretty.js';
import { reportSarif } from './sarif.js';

/** Everything that a report can tell. */
export interface CheckResult {
  readonly findings: readonly Finding[];
  /** Number of proposals looked at. */
  readonly checked: number;
  readonly template: string;
  /** How far each proposal is meant to be, for its heading: `target beta, v1.37`. */
  readonly targets: ReadonlyMap<string, string>;
}

export const reportFormats = ['pretty', 'json', 'sarif', 'github', 'markdown', 'checklist'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Writes the findings of a run in a format. */
export function renderReport(result: CheckResult, format: ReportFormat): string {
  const render = {
    pretty: reportPretty,
    json: reportJson,
    sarif: reportSarif,
    github: reportGithub,
    markdown: reportMarkdown,
    checklist: reportChecklist,
  }[format];
  return render(result);
}
