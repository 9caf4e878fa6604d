import type { KepDocument } from '../document/document.js';
import { comparablePrint } from '../document/fingerprint.js';
import type { Section } from '../document/sections.js';
import { type Generations, knownScaffold, templateDays } from './known-scaffold.js';

/**
 * Returns when the template of kubernetes/enhancements had the text of a section, as `2020-03 to 2021-02`: from the change that brought it to the one that
 * replaced it. Undefined where today's template has it, or where no template had all of it.
 */
export function oldTemplateText(
  { lines, text }: KepDocument,
  { own }: Section,
  known: ReadonlyMap<string, Generations | undefined> = knownScaffold,
): string | undefined {
  let first = 0;
  let last = templateDays.length - 1;
  for (let line = own.first; line <= own.last; line++) {
    const span = known.get(comparablePrint(text.slice(lines.start(line), lines.end(line))));
    if (!span) continue;
    first = Math.max(first, span.first);
    last = Math.min(last, span.last);
  }
  const from = templateDays[first];
  const to = templateDays[last + 1];
  return from === undefined || to === undefined || first > last
    ? undefined
    : `${from.slice(0, 7)} to ${to.slice(0, 7)}`;
}
