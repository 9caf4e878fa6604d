import type { YamlList } from '@slipway/safe-yaml';
import { type Lines, lineEndingText, type Span } from '../document/lines.js';
import type { KepYaml } from './kep-yaml.js';

/** Replaces a stretch of a text. */
export interface Edit extends Span {
  readonly text: string;
}

/** A text with edits done. Of edits that overlap, the first by place is done and the others are left out. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of [...edits].sort((one, other) => one.start - other.start || one.end - other.end)) {
    if (edit.start < at) continue;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/**
 * Sets a field with one value. All else, comments and order included, stays as it is.
 * A field that is not there is written at the end, or behind `after`.
 */
export function setField(yaml: KepYaml, name: string, value: string, after?: string): Edit {
  const node = yaml.node(name);
  if (node) {
    const isEmpty = node.start === node.end;
    return { start: node.start, end: node.end, text: isEmpty ? ` ${value}` : value };
  }
  return insertBehind(yaml, after === undefined ? undefined : yaml.node(after), `${name}: ${value}`);
}

/** Sets `milestone.<stage>`, in line with the entries that are there. */
export function setMilestone(yaml: KepYaml, stage: string, milestone: string): Edit {
  const value = JSON.stringify(milestone);
  const known = yaml.milestones.get(stage);
  if (known) return { start: known.start, end: known.end, text: value };
  const node = yaml.node('milestone');
  if (node?.kind !== 'map')
    return insertBehind(yaml, yaml.node('latest-milestone'), `milestone:\n  ${stage}: ${value}`);
  const empty = node.entries.find(({ key }) => key.source === stage);
  if (empty) {
    const { start, end } = empty.value;
    return { start, end, text: start === end ? ` ${value}` : value };
  }
  const last = node.entries.at(-1);
  if (node.flow || !last)
    return { start: node.start, end: node.end, text: `{ ${flowText(yaml, node.start, node.end)}${stage}: ${value} }` };
  const first = node.entries[0]?.key.start ?? last.key.start;
  const indent = ' '.repeat(first - yaml.lines.start(yaml.lines.at(first)));
  return insertBehind(yaml, last.value, `${indent}${stage}: ${value}`);
}

/** Adds values to a list that is there, behind its last item and indented like it. */
export function addToList(yaml: KepYaml, list: YamlList, values: readonly string[]): Edit {
  const last = list.items.at(-1);
  if (list.flow || !last) {
    const inner = yaml.text
      .slice(list.start + 1, list.end - 1)
      .trim()
      .replace(/,$/, '');
    return { start: list.start, end: list.end, text: `[${[...(inner === '' ? [] : [inner]), ...values].join(', ')}]` };
  }
  const line = yaml.lines.start(yaml.lines.at(last.start));
  const mark = /^[ \t]*-[ \t]+/.exec(yaml.text.slice(line, last.start))?.[0] ?? '  - ';
  return insertBehind(yaml, last, values.map((value) => mark + value).join('\n'));
}

/** Adds values to a list field of the file, which is written when it is not there. */
export function addToField(yaml: KepYaml, name: string, values: readonly string[]): Edit {
  const node = yaml.node(name);
  if (node?.kind === 'list') return addToList(yaml, node, values);
  const lines = values.map((value) => `  - ${value}`).join('\n');
  if (!node) return insertBehind(yaml, undefined, `${name}:\n${lines}`);
  const eol = lineEndingText(yaml.lines.ending);
  const kept = node.kind === 'scalar' && node.source !== '' ? `  - ${node.source}\n${lines}` : lines;
  return { start: yaml.key(name)?.end ?? node.start, end: node.end, text: `:\n${kept}`.replaceAll('\n', eol) };
}

/** Adds a key with one entry below it at the end of a file of keys. */
export function addMapEntry(file: { readonly text: string; readonly lines: Lines }, key: string, entry: string): Edit {
  const { text, lines } = file;
  const eol = lineEndingText(lines.ending);
  const gap = text === '' || /[\r\n]$/.test(text) ? '' : eol;
  return { start: text.length, end: text.length, text: `${gap}${key}:${eol}  ${entry}${eol}` };
}

function flowText(yaml: KepYaml, start: number, end: number): string {
  const inner = yaml.text.slice(start + 1, end - 1).trim();
  return inner === '' ? '' : `${inner.replace(/,$/, '')}, `;
}

/** Writes lines behind the line that a value ends on, or at the end of the file. */
function insertBehind(yaml: KepYaml, node: Span | undefined, lines: string): Edit {
  const eol = lineEndingText(yaml.lines.ending);
  const text = lines.replaceAll('\n', eol);
  if (!node) {
    const at = yaml.text.length;
    const needsEnd = yaml.text !== '' && !/[\r\n]$/.test(yaml.text);
    return { start: at, end: at, text: `${needsEnd ? eol : ''}${text}${eol}` };
  }
  const at = yaml.lines.end(yaml.lines.at(Math.max(node.start, node.end - 1)));
  return { start: at, end: at, text: `${eol}${text}` };
}
