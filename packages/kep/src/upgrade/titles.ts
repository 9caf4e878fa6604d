import { normalizeTitle } from '../document/normalize-title.js';
import type { Change, UpgradeState } from './change.js';

/** Titles that an older template gave get the words of the new one. Titles that authors chose stay. */
export function newTitles({ matches }: UpgradeState): Change[] {
  return [...matches].flatMap(([wanted, { section }]) => {
    const { heading } = section;
    if (!heading || section.norm === wanted.norm) return [];
    if (!wanted.aliases.some((alias) => normalizeTitle(alias) === section.norm)) return [];
    const message = `"${section.title}" is "${wanted.title}" now`;
    return [
      { kind: 'title' as const, title: section.title, message, edits: [{ ...heading.content, text: wanted.title }] },
    ];
  });
}
