import { isGateName } from '../facts/identifiers.js';
import type { FileRole } from '../facts/rule.js';
import { fileOf, type OpenKep } from './open-kep.js';
import { offsetOf, type Position, rangeOf, type TextEdit, type TextRange } from './text-range.js';

/** A feature gate under the cursor. */
export interface GateAt {
  readonly name: string;
  readonly range: TextRange;
}

/** The gate of `kep.yaml` whose name stands at a place of one of the files. */
export function gateAt(kep: OpenKep, role: FileRole, at: Position): GateAt | undefined {
  const file = fileOf(kep, role);
  if (!file) return undefined;
  const offset = offsetOf(file.lines, at);
  for (const { name } of kep.facts.yaml?.gates ?? []) {
    if (!name) continue;
    const start = file.text.lastIndexOf(name.value, offset);
    const end = start + name.value.length;
    if (start >= 0 && end >= offset && isWord(file.text, start, end))
      return { name: name.value, range: rangeOf(file.lines, { start, end }) };
  }
  return undefined;
}

/** Renames a gate everywhere in the proposal; undefined when the new name is not valid for a gate. */
export function renameGate(
  kep: OpenKep,
  name: string,
  newName: string,
): ReadonlyMap<FileRole, readonly TextEdit[]> | undefined {
  if (!isGateName(newName)) return undefined;
  const found = new Map<FileRole, readonly TextEdit[]>();
  for (const role of ['readme', 'yaml'] as const) {
    const file = fileOf(kep, role);
    if (!file) continue;
    const edits: TextEdit[] = [];
    for (let at = file.text.indexOf(name); at >= 0; at = file.text.indexOf(name, at + name.length)) {
      const span = { start: at, end: at + name.length };
      if (isWord(file.text, span.start, span.end)) edits.push({ range: rangeOf(file.lines, span), newText: newName });
    }
    if (edits.length > 0) found.set(role, edits);
  }
  return found;
}

function isWord(text: string, start: number, end: number): boolean {
  return !/\w/.test(text[start - 1] ?? '') && !/\w/.test(text[end] ?? '');
}
