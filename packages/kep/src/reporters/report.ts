import { type CheckResult, findingsOf } from './check-result.js';
import { reportChecklist } from './checklist.js';
import { reportGithub } from './github.js';
import { reportJson } from './json.js';
import { reportMarkdown } from './markdown.js';
import { reportPretty } from './pretty.js';
import { reportSarif } from './sarif.js';

export const reportFormats = ['pretty', 'json', 'sarif', 'github', 'markdown', 'checklist'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Writes the findings of a run in a format, as the parts of one text, some of which are UTF-8 already. */
export function renderReport(result: CheckResult, format: ReportFormat): Iterable<string | Uint8Array> {
  if (format === 'json') return reportJson(result);
  const render = {
    pretty: reportPretty,
    sarif: reportSarif,
    github: reportGithub,
    markdown: reportMarkdown,
    checklist: reportChecklist,
  }[format];
  return [render(findingsOf(result.results), result)];
}

/** The same as one text. */
export function reportText(result: CheckResult, format: ReportFormat): string {
  const decoder = new TextDecoder();
  let text = '';
  for (const part of renderReport(result, format)) text += typeof part === 'string' ? part : decoder.decode(part);
  return text;
}
