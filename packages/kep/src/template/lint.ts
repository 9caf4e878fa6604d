import { type AttachedDirective, sectionAt } from '../document/document.js';
import type { Place } from '../document/lines.js';
import { mojibakeForm, repairMojibake } from '../document/repair-mojibake.js';
import { reaches, stageNamed } from '../metadata/stage.js';
import type { Template } from './template.js';

/** One thing wrong with a template. */
export interface TemplateProblem {
  readonly rule: string;
  readonly severity: 'error' | 'warn' | 'info';
  readonly place: Place;
  readonly message: string;
}

/** What a template asks for, and what is wrong with how it asks. */
export interface TemplateLint {
  readonly name: string;
  readonly sections: number;
  readonly required: number;
  readonly byStage: Readonly<Record<string, number>>;
  readonly optional: number;
  readonly withoutDirective: number;
  readonly problems: readonly TemplateProblem[];
}

const errors = new Set(['KEP-D01', 'KEP-D02', 'KEP-D03', 'KEP-D04', 'KEP-D09']);

/** Looks at a template rather than at a proposal. */
export function lintTemplate(template: Template): TemplateLint {
  const { name, document, sections, ladder } = template;
  const problems: TemplateProblem[] = [];
  const add = (rule: string, at: number, message: string, severity?: TemplateProblem['severity']) => {
    const place = document.lines.place(at);
    problems.push({ rule, severity: severity ?? (errors.has(rule) ? 'error' : 'warn'), place, message });
  };
  const first = new Map<AttachedDirective['section'], AttachedDirective>();
  for (const directive of document.directives) {
    for (const { id, message } of directive.problems) {
      add(id, directive.start, id === 'KEP-D01' ? `${message}${hiddenBy(directive, template)}` : message);
    }
    const { section, stage } = directive;
    if (stage !== undefined && stageNamed(stage, ladder) === undefined)
      add('KEP-D03', directive.start, `"stage: ${stage}": want one of ${ladder.names.join(', ')}`);
    if (!section)
      add('KEP-D07', directive.start, 'the directive stands before the first heading and counts for nothing');
    else if (first.has(section))
      add('KEP-D05', directive.start, `"${section.title}" has a directive already; this one counts for nothing`);
    else first.set(section, directive);
    if (section && directive.detached)
      add('KEP-D06', directive.start, `text stands between "${section.title}" and its directive`);
  }
  for (const fence of document.fences) {
    const text = document.text.slice(fence.start, fence.end);
    if (/<!--\s*DIRECTIVE\s*:/i.test(text))
      add('KEP-D08', fence.start, 'a directive in a code block counts for nothing', 'info');
  }
  for (const found of document.text.matchAll(mojibakeForm)) {
    const meant = repairMojibake(found[0]);
    if (meant !== undefined)
      add('KEP005', found.index, `"${found[0]}" is ${JSON.stringify(meant)} read as Windows-1252`);
  }
  const stageOf = (section: AttachedDirective['section']) =>
    stageNamed(first.get(section)?.stage ?? '', ladder) ?? ladder.names[0] ?? '';
  const seen = new Set<string>();
  for (const { section, norm, parent } of sections) {
    const key = `${parent?.section.key ?? ''}\n${norm}`;
    if (seen.has(key)) add('KEP-D09', section.span.start, `"${section.title}" is there twice`);
    seen.add(key);
    if (!first.has(section)) add('KEP-D11', section.span.start, `"${section.title}" has no directive`);
    const above = parent && first.get(parent.section);
    const own = stageOf(section);
    if (first.get(section)?.required && above?.required && !reaches(own, stageOf(parent?.section), ladder)) {
      add(
        'KEP-D10',
        section.span.start,
        `"${section.title}" is required from ${own} on, the section around it only from ${stageOf(parent?.section)}`,
      );
    }
  }
  const required = sections.filter((each) => each.required);
  return {
    name,
    sections: sections.length,
    required: required.length,
    byStage: Object.fromEntries(
      ladder.names.map((stage) => [stage, required.filter(({ section }) => stageOf(section) === stage).length]),
    ),
    optional: sections.filter(({ section, required: asked }) => !asked && first.has(section)).length,
    withoutDirective: sections.filter(({ section }) => !first.has(section)).length,
    problems: problems.sort((one, other) => one.place.line - other.place.line),
  };
}

/** The headings that a Markdown reader does not show because the comment goes on. */
function hiddenBy(directive: AttachedDirective, { document, sections }: Template): string {
  const close = document.text.indexOf('-->', directive.end);
  const until = close < 0 ? document.text.length : close;
  const hidden = sections.filter(({ section }) => section.span.start > directive.end && section.span.start < until);
  if (hidden.length === 0 || !sectionAt(document.sections, document.lines.at(directive.start))) return '';
  return `; hidden: ${hidden.map(({ section, required }) => `"${section.title}"${required ? ' (required)' : ''}`).join(', ')}`;
}
