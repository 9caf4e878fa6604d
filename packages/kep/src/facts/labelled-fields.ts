import { lineKind } from '../document/blocks.js';
import type { CheckItem } from '../document/checklist.js';
import type { KepDocument } from '../document/document.js';
import { firstIndex } from '../document/first-index.js';
import { indentOf, type Span } from '../document/lines.js';
import { rememberingLast } from '../document/remember.js';
import { proseWith, type VisibleText, visibleFrom } from './visible-text.js';

/** The labels that rules and claims ask for, in lower case. */
const fieldLabels = [
  'feature gate name',
  'components depending on the feature gate',
  'metric name',
  'event reason',
  'condition name',
  'other field',
  'describe the mechanism',
] as const;
export type FieldLabel = (typeof fieldLabels)[number];

/** `Feature gate name: X` below a box. */
export interface LabelledField extends Span {
  readonly label: FieldLabel;
  readonly value: string;
  /** Whether the box above it is ticked; true when there is none. */
  readonly checked: boolean;
}

const form = /^\s*(?:[-*+]\s+)?(?:\[optional\]\s*)?[*_]{0,2}([A-Za-z][A-Za-z /().]{2,60}?)[*_]{0,2}:[*_]{0,2}\s*(.*)$/i;

/** A colon behind one of them: few lines have one. */
const labelEnd = new RegExp(`(?<=(?:${fieldLabels.join('|')}) *[*_]{0,2}):`, 'iy');

/** The fields with one of these labels; values that wrap or come as a list below are joined. */
export function labelledFields(document: KepDocument, labels: readonly FieldLabel[]): readonly LabelledField[] {
  const found: LabelledField[] = [];
  for (const { part, label, rest } of labelledLines(document)) {
    if (!labels.includes(label)) continue;
    const nested = nestedLines(document, part);
    const value = [rest, ...nested.map(({ text }) => text.trim())].join('\n').trim();
    const start = part.start + part.text.length - part.text.trimStart().length;
    found.push({
      label,
      value,
      checked: isChecked(document, part),
      start,
      end: part.start + part.text.trimEnd().length,
    });
  }
  return found;
}

/** A line with a label. */
interface LabelledLine {
  readonly part: VisibleText;
  readonly label: FieldLabel;
  /** What stands behind the label. */
  readonly rest: string;
}

/** Several rules ask, each for other labels. */
const labelledLines = rememberingLast((document: KepDocument): readonly LabelledLine[] => {
  const found: LabelledLine[] = [];
  const endsLabel = (at: number) => {
    labelEnd.lastIndex = at;
    return labelEnd.test(document.text);
  };
  for (const part of proseWith(document, [':'], endsLabel)) {
    const colon = part.text.indexOf(':');
    const [, typed = '', rest = ''] = (colon < 120 && form.exec(part.text.slice(0, 1_000))) || [];
    const label = fieldLabels.find((each) => each === typed.toLowerCase().trim());
    if (label !== undefined) found.push({ part, label, rest });
  }
  return found;
});

/** What may stand before a label. */
const lead = /^\s*(?:[-*+]\s+)?(?:\[optional\]\s*)?[*_]{0,2}/i;

/** The labels of templates: where one begins, the value of the one before ends. */
const templateLabels =
  /^(?:feature gate name|components (?:depending|exposing)|describe the mechanism|will enabling|does switching|metric name|aggregation method|event reason|condition name|other field|details)\b/i;

/**
 * The lines below that are further in, blank lines between them allowed. Behind a label without a value also
 * items in code beside it, and a paragraph.
 */
function nestedLines(document: KepDocument, { line, start, text: label }: VisibleText): readonly VisibleText[] {
  const indent = indentOf(label);
  const isEmpty = label.trimEnd().endsWith(':');
  const found: VisibleText[] = [];
  let before = line;
  for (const part of visibleFrom(document, line)) {
    if (part.start <= start) continue;
    if (found.length >= 40 || !isBlankBetween(document, before, part.line)) break;
    before = part.line;
    const isItem = isEmpty && indentOf(part.text) === indent && /^\s*[-*+]\s+`/.test(part.text);
    const isParagraph = isEmpty && found.length === 0 && /^\s*[A-Za-z`(]/.test(part.text);
    if (indentOf(part.text) <= indent && !isItem && !isParagraph) break;
    if (templateLabels.test(part.text.replace(lead, '')) && !repeats(label, part.text)) break;
    found.push(part);
  }
  return found;
}

/** Whether an author wrote the empty label of the template once more, further in and with the value. */
function repeats(label: string, text: string): boolean {
  const [, typed = ''] = form.exec(label) ?? [];
  const [, other] = form.exec(text) ?? [];
  return typed === other && indentOf(text) > indentOf(label);
}

function isBlankBetween({ blocks }: KepDocument, before: number, line: number): boolean {
  for (let between = before + 1; between < line; between++) if (blocks.kinds[between] !== lineKind.blank) return false;
  return true;
}

function isChecked(document: KepDocument, part: VisibleText): boolean {
  return boxAbove(document, part.line, indentOf(part.text), 30)?.checked ?? true;
}

/** The nearest item with a box above a line that is further out, at most so many lines away. */
function boxAbove(document: KepDocument, line: number, indent: number, within: number): CheckItem | undefined {
  const items = document.checklist;
  for (let at = firstIndex(items, (item) => item.line >= line) - 1; at >= 0; at--) {
    const item = items[at];
    if (!item || item.line <= line - within) return undefined;
    if (item.indent < indent) return item;
  }
  return undefined;
}

/** Whether a line stands below a box, ticked or not. */
export function hasBoxAbove(document: KepDocument, offset: number): boolean {
  const line = document.lines.at(offset);
  const indent = offset - document.lines.start(line);
  return boxAbove(document, line, indent, 6) !== undefined;
}
