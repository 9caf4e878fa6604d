import { sectionAt } from '../document/document.js';
import type { Section } from '../document/sections.js';
import { type Assessed, isOpen } from '../template/assess.js';
import { bodyOf } from '../template/section-body.js';
import { hoverOnField } from './declared-fields.js';
import { fieldHelp } from './field-help.js';
import type { Hover } from './hover-text.js';
import type { OpenKep } from './open-kep.js';
import { offsetOf, type Position, rangeOf } from './text-range.js';

/** On a heading: from which stage on it is asked for, how it is answered, and what the template says to write. */
export function hoverInReadme({ facts }: OpenKep, at: Position): Hover | undefined {
  const { document, assessed, template, declared } = facts;
  const field = declared?.metadata.file === 'readme' ? hoverOnField(declared, at) : undefined;
  if (field) return field;
  const section = document && sectionAt(document.sections, at.line);
  if (!document || !section || !isOn(section, at.line)) return undefined;
  const found = assessed.find(({ match }) => match?.section === section);
  if (!found) return undefined;
  const guidance = guidanceOf(bodyOf(template.document, found.wanted, true));
  const title = found.wanted.title === section.title ? [] : [`In the template: "${found.wanted.title}"`];
  const markdown = [...title, demandOf(found), ...guidance].join('\n\n');
  return { markdown, range: rangeOf(document.lines, section.span) };
}

/** On a field of `kep.yaml`: what it is for. */
export function hoverInYaml({ facts }: OpenKep, at: Position): Hover | undefined {
  const { yaml, declared } = facts;
  if (declared) return hoverOnField(declared, at);
  if (!yaml?.root) return undefined;
  const offset = offsetOf(yaml.lines, at);
  const entry = yaml.root.entries.find(({ key }) => key.start <= offset && offset <= key.end);
  const markdown = entry && fieldHelp[entry.key.source];
  return entry && markdown ? { markdown, range: rangeOf(yaml.lines, entry.key) } : undefined;
}

function isOn({ line, form, heading, own }: Section, at: number): boolean {
  return form === 'heading' ? at >= line && at <= (heading?.lastLine ?? line) : at >= line && at <= own.first;
}

function demandOf(found: Assessed): string {
  const { wanted, answer, demanded } = found;
  if (!wanted.required) return 'Optional.';
  const since = wanted.since === undefined ? '' : ` for proposals since v1.${wanted.since}`;
  const state = isOpen(found)
    ? `not answered yet (${answer ?? 'missing'})`
    : demanded
      ? 'answered'
      : 'not required yet';
  return `Required${wanted.stage && ` from **${wanted.stage}** on`}${since}; ${state}.`;
}

/** The instructions as text: without the marks of comments. */
function guidanceOf(body: string): readonly string[] {
  const text = body.replace(/<!--+|--+>/g, '').trim();
  return text === '' ? [] : [text];
}
