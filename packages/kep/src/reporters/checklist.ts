import { counts, type Finding } from '../check/finding.js';
import type { CheckResult } from './check-result.js';
import { cell } from './markdown.js';

/** What a kind of finding asks its author to do, in the order in which to do it. */
const tasks: readonly { readonly title: string; readonly rules: RegExp }[] = [
  { title: 'Answer', rules: /^KEP(?:10[12]|20[1-5]|21[12])$/ },
  { title: 'Ask for approval', rules: /^KEP(?:61[1-9]|62\d)$/ },
  { title: 'Correct', rules: /^/ },
];

const maxItems = 100;

/**
 * Lists what each proposal must still do to reach its stage, as a comment of a pull request with boxes to tick; the
 * hidden mark lets a bot find the comment again and replace it. Only errors are asked for.
 */
export function reportChecklist(findings: readonly Finding[], { targets }: CheckResult): string {
  const open = findings.filter((finding) => counts(finding) && finding.severity === 'error');
  const parts = [...targets].map(([kep, target]) => {
    const own = open.filter((finding) => finding.kep === kep);
    const what = target.replace(/^target /, '');
    if (own.length === 0) return `### ${cell(kep)}: nothing is missing for ${what}\n`;
    return `### ${cell(kep)}: ${own.length === 1 ? 'one thing is' : `${own.length} things are`} missing for ${what}\n\n${itemsOf(own)}`;
  });
  return ['<!-- slipway-kep-checklist -->', ...parts].join('\n');
}

function itemsOf(findings: readonly Finding[]): string {
  const left = new Set(findings.slice(0, maxItems));
  const groups = tasks.flatMap(({ title, rules }) => {
    const items = [...left].filter(({ rule }) => rules.test(rule));
    for (const item of items) left.delete(item);
    return items.length === 0 ? [] : [`**${title}**\n\n${items.map(itemOf).join('')}`];
  });
  const more = findings.length > maxItems ? `\n${findings.length - maxItems} more are left out.\n` : '';
  return `${groups.join('\n')}${more}`;
}

function itemOf({ rule, path, span, message }: Finding): string {
  return `- [ ] ${cell(message)} (${rule}, ${cell(path.split('/').at(-1) ?? path)} line ${span.start.line})\n`;
}
