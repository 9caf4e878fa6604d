import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type JournalEntry, readEntry } from './journal-entry.js';

/** How many files take turns. */
export const keptFiles = 4;

/** The name of the file that was turned away so many times; 0 is the one that is written. */
export function journalFile(age: number): string {
  return age === 0 ? 'pulls.ndjson' : `pulls.${age}.ndjson`;
}

/** What a journal holds, oldest first, and how many lines of it could not be read. */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  readonly unreadable: number;
}

/**
 * Reads the journal of a folder, or one file of it.
 * @throws an error of the file system when there is none.
 */
export function readJournal(path: string): Journal {
  const ages = Array.from({ length: keptFiles }, (_, index) => keptFiles - 1 - index);
  const files = statSync(path).isDirectory()
    ? ages.map((age) => join(path, journalFile(age))).filter((file) => existsSync(file))
    : [path];
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  const entries = lines.flatMap((line) => readEntry(line) ?? []);
  return { entries, unreadable: lines.length - entries.length };
}
