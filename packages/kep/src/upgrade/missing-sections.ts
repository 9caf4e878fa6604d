import { lineEndingText } from '../document/lines.js';
import { placementOf } from '../template/placement.js';
import { bodyOf } from '../template/section-body.js';
import type { TemplateSection } from '../template/template.js';
import type { Change, UpgradeState } from './change.js';

/** Sections that the template asks for at any stage and that are not there are written, with what is below them. */
export function missingSections({ document, template, matches, guidance }: UpgradeState): Change[] {
  const isMissing = (wanted: TemplateSection): boolean => wanted.required && !matches.has(wanted);
  const eol = lineEndingText(document.lines.ending);
  return template.sections.flatMap((wanted) => {
    const { parent } = wanted;
    if (!isMissing(wanted) || wanted.section.level === 1) return [];
    // What is part of something that is not there comes with it, or is not asked for.
    if (parent && parent.section.level > 1 && !matches.has(parent)) return [];
    const { offset, level, gap } = placementOf(document, wanted, (section) => matches.get(section)?.section);
    const shift = level - wanted.section.level;
    const text = [wanted, ...below(wanted).filter(isMissing)]
      .map((each) => {
        const body = bodyOf(template.document, each, guidance);
        const marks = '#'.repeat(Math.min(6, each.section.level + shift));
        return `${marks} ${each.title}\n\n${body === '' ? '' : `${body}\n\n`}`;
      })
      .join('')
      .replaceAll('\n', eol);
    const edits = [{ start: offset, end: offset, text: gap + text }];
    return [{ kind: 'insert' as const, title: wanted.title, message: `"${wanted.title}" is new`, edits }];
  });
}

function below(wanted: TemplateSection): readonly TemplateSection[] {
  return wanted.children.flatMap((child) => [child, ...below(child)]);
}
