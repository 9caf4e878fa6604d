// @ts-check
/**
 * Writes the fingerprints by which `kep` knows text that came with a template: `node tools/template-lines.mjs FOLDER...`
 * after a build. FOLDERs hold templates (folders whose name begins with NNNN, and files named kep-template*) and proposals. With
 * `--history REPOSITORY`, a clone of kubernetes/enhancements with all commits, every text that its template ever had counts too.
 *
 * Of templates every visible line and every comment counts; of proposals the comments that many of them share
 * word by word, because those have no other author. What is known already stays: the templates of earlier years are
 * not all at hand. No text is kept, only fingerprints.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kep = fileURLToPath(new URL('../packages/kep/', import.meta.url));
const { parseDocument } = await import(`${kep}dist/document/document.js`);
const { comparableLine, fingerprint } = await import(`${kep}dist/document/fingerprint.js`);
const { knownScaffold } = await import(`${kep}dist/template/known-scaffold.js`);
const { knownGuidance } = await import(`${kep}dist/template/known-guidance.js`);

/** Comments in fewer proposals than this may be an author's own. */
const shared = 4;

const [flag, history] = process.argv.slice(2);
const folders = flag === '--history' ? process.argv.slice(4) : process.argv.slice(2);
if (folders.length === 0 && history === undefined) {
  process.stderr.write('To fix: name folders with templates and proposals\n');
  process.exit(2);
}
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path)),
);
/** @param {string} path */
const isTemplate = (path) => /^NNNN-/.test(basename(dirname(path))) || /^kep-template/.test(basename(path));

const scaffold = new Set(knownScaffold);
const guidance = new Set(knownGuidance);
/** @type {Map<string, number>} */
const proposals = new Map();
for (const path of files) {
  const document = parseDocument(readFileSync(path, 'utf8'));
  if (isTemplate(path)) addTemplate(document);
  else for (const print of commentsOf(document)) proposals.set(print, (proposals.get(print) ?? 0) + 1);
}
for (const text of flag === '--history' ? pastTemplates(history ?? '.') : []) addTemplate(parseDocument(text), 3);
for (const [print, count] of proposals) if (count >= shared) guidance.add(print);

write('known-scaffold.ts', scaffold);
write('known-guidance.ts', guidance);

/**
 * @param {any} document
 * @param {number} leastWords shorter lines may be an author's own: "implemented", "test plan"
 */
function addTemplate(document, leastWords = 1) {
  for (const print of commentsOf(document)) guidance.add(print);
  for (const print of visibleLines(document, leastWords)) scaffold.add(print);
}

/** @param {any} document */
function commentsOf(document) {
  return new Set(
    document.comments
      .filter((/** @type {{ kind: string }} */ { kind }) => kind === 'other')
      .map((/** @type {{ body: string }} */ { body }) => fingerprint(body.replace(/\s+/g, ' ').toLowerCase())),
  );
}

/**
 * The template of each commit that changed it, under all names that it had.
 * @param {string} repository
 */
function pastTemplates(repository) {
  const git = (/** @type {string[]} */ ...words) =>
    execFileSync('git', ['-C', repository, ...words], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const names = ['keps/0000-kep-template.md', 'keps/YYYYMMDD-kep-template.md', 'keps/NNNN-kep-template/README.md'];
  return names.flatMap((name) =>
    git('log', '--diff-filter=AM', '--format=%H', '--', name)
      .trim()
      .split('\n')
      .map((commit) => git('show', `${commit}:${name}`)),
  );
}

/**
 * The lines below headings that a reader sees, as they are compared. The table of contents is not among them.
 * @param {any} document
 * @param {number} leastWords
 */
function visibleLines(document, leastWords) {
  const { text, lines, comments, sections, toc } = document;
  const found = new Set();
  for (const { own } of sections) {
    for (let line = own.first; line <= own.last; line++) {
      const start = lines.start(line);
      const isIn = (/** @type {{ start: number, end: number }} */ span) => span.start <= start && start < span.end;
      if (comments.some(isIn) || (toc && isIn({ start: toc.open.start, end: toc.close.end }))) continue;
      const comparable = comparableLine(text.slice(start, lines.end(line)));
      // Gaps such as <test> are found by their form, and page numbers of a copied page are no text.
      if (!/[a-z]{2}/.test(comparable) || /<[^>]+>/.test(comparable)) continue;
      if (comparable.split(' ').length >= leastWords) found.add(fingerprint(comparable));
    }
  }
  return found;
}

/**
 * Puts the fingerprints between the marks of a file, sorted, and keeps the rest of it.
 * @param {string} name
 * @param {Set<string>} prints
 */
function write(name, prints) {
  const path = `${kep}src/template/${name}`;
  const rows = [''];
  for (const print of [...prints].sort()) {
    const row = rows[rows.length - 1] ?? '';
    if (row.length + print.length + 1 > 108) rows.push(print);
    else rows[rows.length - 1] = row === '' ? print : `${row} ${print}`;
  }
  const before = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    before.replace(/`\n[^`]*\n`/, () => `\`\n${rows.join('\n')}\n\``),
  );
  process.stdout.write(`${name}: ${prints.size} fingerprints\n`);
}
