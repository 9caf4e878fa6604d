import type { Finding } from '../check/finding.js';
import type { FileRole } from '../facts/rule.js';
import { applyEdits } from '../metadata/edit.js';
import type { KepRepository, LoadedKep } from '../repository/repository.js';

/** The files of a proposal as they would be after fixing; files that stay as they are, are left out. */
export interface FixedKep {
  readonly texts: ReadonlyMap<FileRole, string>;
  /** Findings that were done away with, in the order they were. */
  readonly fixed: readonly Finding[];
}

/** Fixes can make room for others: a section that is inserted belongs into the table of contents. */
const maxRounds = 6;

/**
 * Does what the fixes of the findings say, again and again until none is left, and writes nothing.
 * Files that were not UTF-8 are never touched.
 */
export function fixKep(repository: KepRepository, kep: LoadedKep, options: { readonly unsafe: boolean }): FixedKep {
  const fixed: Finding[] = [];
  let current = kep;
  for (let round = 0; round < maxRounds; round++) {
    const findings = repository.check(repository.facts(current), current);
    const usable = findings.filter(
      ({ fix, waived, file }) =>
        fix && waived === undefined && (fix.safety === 'safe' || options.unsafe) && isText(current, fix.file ?? file),
    );
    if (usable.length === 0) break;
    const next = repository.withTexts(current, editedTexts(current, usable, fixed));
    if (sameTexts(current, next)) break;
    current = next;
  }
  const texts = new Map<FileRole, string>();
  for (const file of ['readme', 'yaml', 'approval'] as const) {
    const text = textOf(current, file);
    if (text !== undefined && text !== textOf(kep, file)) texts.set(file, text);
  }
  return { texts, fixed };
}

/** All edits of one file that do not overlap; a fix is done as a whole or not at all. */
function editedTexts(kep: LoadedKep, findings: readonly Finding[], fixed: Finding[]): Map<FileRole, string> {
  const texts = new Map<FileRole, string>();
  for (const file of ['readme', 'yaml', 'approval'] as const) {
    const text = textOf(kep, file) ?? '';
    const chosen: Finding['fix'][] = [];
    const taken: { start: number; end: number }[] = [];
    for (const finding of findings) {
      if (!finding.fix || (finding.fix.file ?? finding.file) !== file) continue;
      const { edits } = finding.fix;
      const isFree = edits.every((edit) => taken.every((other) => edit.end <= other.start || edit.start >= other.end));
      if (!isFree) continue;
      chosen.push(finding.fix);
      taken.push(...edits);
      fixed.push(finding);
    }
    if (chosen.length === 0) continue;
    texts.set(
      file,
      applyEdits(
        text,
        chosen.flatMap((fix) => fix?.edits ?? []),
      ),
    );
  }
  return texts;
}

function textOf(kep: LoadedKep, file: FileRole): string | undefined {
  return { readme: kep.readme?.text, yaml: kep.yaml?.text, approval: kep.approval?.text }[file];
}

function isText(kep: LoadedKep, file: FileRole): boolean {
  return file !== 'readme' || (kep.readme?.encoding === 'utf-8' && kep.readme.invalidAt === undefined);
}

function sameTexts(one: LoadedKep, other: LoadedKep): boolean {
  return (['readme', 'yaml', 'approval'] as const).every((file) => textOf(one, file) === textOf(other, file));
}
