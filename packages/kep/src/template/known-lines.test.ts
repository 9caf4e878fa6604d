import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { parseDocument } from '../document/document.js';
import { comparableLine, fingerprint } from '../document/fingerprint.js';
import { knownScaffold, templateDays } from './known-scaffold.js';
import { oldTemplateText } from './old-template-text.js';

const source = fileURLToPath(new URL('known-scaffold.ts', import.meta.url));
const paths = [
  'keps/NNNN-kep-template/README.md',
  'keps/YYYYMMDD-kep-template.md',
  'keps/0000-kep-template.md',
  '0000-kep-template.md',
];
/** Shorter lines, such as "implemented", may well be what an author answers. */
const minLength = 20;

/** Returns the template as it was at the end of each day that changed it, by day, the oldest first. */
function versions(history: string): [day: string, text: string][] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: history, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const log = git(
    'log',
    '--reverse',
    '--date-order',
    '--format=%H %cs',
    '--diff-filter=AMR',
    '--name-only',
    '--',
    ...paths,
  );
  const found = new Map<string, string>();
  let commit = '';
  let day = '';
  for (const line of log.split('\n')) {
    const head = /^([0-9a-f]{40}) (\S+)$/.exec(line);
    if (head) [, commit = '', day = ''] = head;
    else if (paths.includes(line)) found.set(day, git('show', `${commit}:${line}`));
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns the lines of a template below its headings, as they are compared, those of its comments included. */
function scaffoldLines(text: string): ReadonlySet<string> {
  const { sections, lines } = parseDocument(text);
  const found = new Set<string>();
  for (const { own } of sections) {
    for (let line = own.first; line <= own.last; line++)
      found.add(comparableLine(text.slice(lines.start(line), lines.end(line))));
  }
  return found;
}

test('knownScaffold has the lines of all templates of kubernetes/enhancements with the generations that had them', (context) => {
  needs(context, 'history of kubernetes/enhancements');
  const all = versions(process.env.SLIPWAY_KEP_HISTORY ?? '');
  const spans = new Map<string, { first: number; last: number }>();
  for (const [at, [, text]] of all.entries()) {
    for (const line of scaffoldLines(text)) {
      const print = fingerprint(line);
      if (line.length >= minLength || knownScaffold.has(print))
        spans.set(print, { first: spans.get(print)?.first ?? at, last: at });
    }
  }
  const days = all.map(([day]) => day);
  if (process.env.UPDATE_GOLDEN === '1') record(days, spans);
  expect(templateDays).toEqual(days);
  for (const [print, span] of spans) expect(knownScaffold.get(print)).toEqual(span);
}, 300_000);

function record(days: readonly string[], spans: ReadonlyMap<string, { first: number; last: number }>): void {
  const bySpan = new Map<string, string[]>();
  for (const print of knownScaffold.keys()) if (!spans.has(print)) bySpan.set('?', [...(bySpan.get('?') ?? []), print]);
  for (const [print, { first, last }] of spans) {
    const key = `${first}-${last}`;
    bySpan.set(key, [...(bySpan.get(key) ?? []), print]);
  }
  const written = [...bySpan].map(([span, prints]) => `${span} ${prints.sort().join(' ')}`).join('\n');
  const text = readFileSync(source, 'utf8')
    .replace(/(const days = `\n)[^`]*/, (_, head: string) => `${head}${wrapped(days.join(' '))}\n`)
    .replace(/(const prints = `\n)[^`]*/, (_, head: string) => `${head}${wrapped(written)}\n`);
  writeFileSync(source, text);
}

function wrapped(text: string): string {
  return text.replace(/(?![^\n]{1,118}$)([^\n]{1,118}) /gm, '$1\n  ');
}

const today = templateDays.length - 1;
const known = [...knownScaffold.values()];

test('every line of knownScaffold is of generations that there are', () => {
  expect(templateDays.length).toBeGreaterThan(40);
  expect([...templateDays].sort()).toEqual(templateDays);
  const placed = known.flatMap((span) => span ?? []);
  expect(placed.length).toBeGreaterThan(600);
  for (const { first, last } of placed) expect([first >= 0, first <= last, last <= today]).toEqual([true, true, true]);
});

const ownPrint = (line: string) => fingerprint(comparableLine(line));

// lines of a section, with their generations | what the text is of
test.each<[Record<string, { first: number; last: number } | undefined>, string | undefined]>([
  [{}, undefined],
  [{ 'an answer': undefined }, undefined],
  [{ 'an old line': { first: 2, last: 5 } }, '2018-01 to 2018-02'],
  [{ 'an old line': { first: 2, last: 9 }, 'another old line': { first: 4, last: 12 } }, '2018-02 to 2019-02'],
  [{ 'a line of today': { first: 2, last: today } }, undefined],
  [{ 'of one time': { first: 2, last: 3 }, 'of another time': { first: 8, last: 9 } }, undefined],
])('oldTemplateText() of a section with %j', (lines, wanted) => {
  const document = parseDocument(`# T\n\n## A\n\n${Object.keys(lines).join('\n')}\n`);
  const section = document.sections[1];
  const spans = new Map(Object.entries(lines).map(([line, span]) => [ownPrint(line), span]));
  expect(section && oldTemplateText(document, section, spans)).toBe(wanted);
});
