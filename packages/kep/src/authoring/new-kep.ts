import { type KepDocument, parseDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import { tableOfContents } from '../document/toc.js';
import { tocEdit } from '../facts/toc-edit.js';
import { applyEdits } from '../metadata/edit.js';

/** What a new proposal begins with. */
export interface NewKep {
  readonly group: string;
  /** `NNNN` until there is a tracking issue. */
  readonly number: string;
  readonly slug: string;
  readonly title: string;
  readonly authors: readonly string[];
  readonly approvers: readonly string[];
  readonly milestone: string | undefined;
  readonly gate: { readonly name: string; readonly components: readonly string[] } | undefined;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/** The README of a new proposal: the template with title, gate and table of contents filled in. */
export function newReadme(kep: NewKep, template: string): string {
  let text = template.replace(/KEP-NNNN: Your short, descriptive title/, `KEP-${kep.number}: ${kep.title}`);
  if (kep.gate) {
    text = text
      .replace(/- \[ \] Feature gate/, '- [x] Feature gate')
      .replace(/(- Feature gate name:)[ \t]*$/m, `$1 \`${kep.gate.name}\``)
      .replace(/(- Components depending on the feature gate:)[ \t]*$/m, `$1 ${kep.gate.components.join(', ')}`);
  }
  text = withClosedDirectives(text);
  const document = parseDocument(text);
  const table = tableOfContents(document);
  return table === undefined ? text : applyEdits(text, [tocEdit(document, table)]);
}

/** A template whose directives end as they should: a Markdown reader hides what follows one that does not. */
export function withClosedDirectives(template: string): string {
  const edits = malformedDirectives(parseDocument(template)).map(({ start, end }) => ({
    start,
    end,
    text: `${template.slice(start, end).replace(/(?:--!>|->|>)\s*$/, '')}-->`,
  }));
  return applyEdits(template, edits);
}

/** The directives of a template that do not end with `-->`. */
export function malformedDirectives({ directives }: KepDocument): readonly Span[] {
  return directives.filter(({ problems }) => problems.some(({ id }) => id === 'KEP-D01'));
}

/** The `kep.yaml` of a new proposal, provisional until it is approved. */
export function newKepYaml(kep: NewKep): string {
  const list = (name: string, values: readonly string[]) =>
    values.length === 0 ? '' : `${name}:\n${values.map((value) => `  - ${JSON.stringify(value)}\n`).join('')}`;
  const gate = kep.gate
    ? `feature-gates:\n  - name: ${kep.gate.name}\n    components:\n${kep.gate.components.map((each) => `      - ${each}\n`).join('')}`
    : '';
  const milestone = kep.milestone
    ? `latest-milestone: ${JSON.stringify(kep.milestone)}\nmilestone:\n  alpha: ${JSON.stringify(kep.milestone)}\n`
    : '';
  return (
    `title: ${JSON.stringify(kep.title)}\nkep-number: ${kep.number}\n${list('authors', kep.authors)}` +
    `owning-sig: ${kep.group}\nstatus: provisional\ncreation-date: ${kep.today}\n${list('approvers', kep.approvers)}` +
    `stage: alpha\n${milestone}${gate}disable-supported: true\n`
  );
}
