import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkKep } from '../check/check-kep.js';
import { defaultConfig, readConfig } from '../check/config.js';
import type { Finding } from '../check/finding.js';
import { claimsHash } from '../claims/claim.js';
import { extractClaims } from '../claims/extract-claims.js';
import { parseDocument } from '../document/document.js';
import { type Evidence, readEvidence, writeEvidence } from '../evidence/evidence.js';
import { gatherFacts } from '../facts/facts.js';
import { gatherDeclared } from '../facts/gather-declared.js';
import type { FileRole, Rule, UnreadableFile } from '../facts/rule.js';
import { readApproval } from '../metadata/approval.js';
import { applyEdits } from '../metadata/edit.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { decode } from '../repository/read-source.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';
import { allRules } from './catalogue.js';
import { helpOf } from './help-texts.js';

const testdata = fileURLToPath(new URL('../../testdata/rules/', import.meta.url));
const pages = fileURLToPath(new URL('../../../../docs/reference/rules/', import.meta.url));
const template = readTemplate(readFileSync(`${testdata}base/template.md`, 'utf8'), 'fixture');
const paths = {
  'keps/sig-demo/42-demo/picture.png': true,
  'keps/sig-demo/7-other': true,
  'keps/sig-demo/8-gone': true,
};

const sameNumber: Readonly<Record<string, readonly string[]>> = {
  '43': ['keps/sig-demo/43-other'],
  '7': ['keps/sig-demo/7-other'],
};
const goodEvidence: Evidence = {
  stage: 'beta',
  claimsHash: '',
  serverVersion: 'v1.36.0',
  simulated: false,
  finishedAt: '2026-05-01T10:00:00Z',
  claims: [{ id: 'gate/LouderBells', result: 'verified', detail: 'registered' }],
};

type Files = Readonly<Record<'README.md' | 'kep.yaml' | 'approval.yaml', Uint8Array | undefined>>;

/** What a fixture may say besides its files. */
interface Surroundings {
  readonly unreadable: readonly UnreadableFile[];
  readonly before: string | undefined;
  readonly owners: string | undefined;
  /** What differs from good evidence; `text` stands for all of it. */
  readonly evidence: readonly (Partial<Evidence> & { readonly text?: string })[];
  readonly isOrphan: boolean;
}

function surroundingsOf(folder: string): Surroundings {
  const read = (name: string) =>
    existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`, 'utf8') : undefined;
  const unreadable = read('unreadable')?.trim();
  return {
    unreadable: unreadable ? [{ file: unreadable as FileRole, reason: 'EACCES' }] : [],
    before: read('before.md'),
    owners: read('OWNERS'),
    evidence: JSON.parse(read('evidence.json') ?? '[]'),
    isOrphan: read('without')?.trim() === 'readme yaml',
  };
}

/** A fixture holds the files that differ from `base`; `without` names those that are not there. */
function filesOf(folder: string): Files {
  const without = existsSync(`${folder}/without`) ? readFileSync(`${folder}/without`, 'utf8').trim().split(' ') : [];
  const read = (name: string, part: string) => {
    if (without.includes(part)) return undefined;
    return readFileSync(existsSync(`${folder}/${name}`) ? `${folder}/${name}` : `${testdata}base/${name}`);
  };
  return {
    'README.md': read('README.md', 'readme'),
    'kep.yaml': read('kep.yaml', 'yaml'),
    'approval.yaml': read('approval.yaml', 'approval'),
  };
}

const declaredKind = readConfig(readFileSync(`${testdata}base/kinds.yaml`, 'utf8')).kinds[0];

/** What a rule for declared kinds finds in a README that is a document of the kind of `base/kinds.yaml`. */
function findingsInDeclared(rule: Rule, files: Files): Finding[] {
  const source = files['README.md'] && decode(files['README.md'], 10_000);
  if (!declaredKind || source?.text === undefined) throw new Error('there is no kind, or no README');
  const path = 'notes/0042-bells.md';
  const facts = gatherDeclared({
    kind: declaredKind,
    path,
    document: parseDocument(source.text),
    source,
    side: undefined,
    place: { directory: 'notes', group: undefined, number: '0042' },
    template: readTemplate('# {number}. {title}\n', 'fixture', declaredKind.ladder),
    repository: aRepository({ sameNumber: (number) => sameNumber[number] ?? [] }),
    unreadable: [],
    before: undefined,
    stage: undefined,
  });
  const paths = { kep: path, readme: 'README.md', yaml: '', approval: '' };
  return checkKep(facts, paths, { ...defaultConfig, only: new Set([rule.id]) });
}

function findingsOf(rule: Rule, files: Files, folder: string): Finding[] {
  if (rule.of === 'declared') return findingsInDeclared(rule, files);
  const around = surroundingsOf(folder);
  const source = files['README.md'] && decode(files['README.md'], 10_000);
  const text = (name: keyof Files) => files[name] && new TextDecoder().decode(files[name]);
  const yaml = text('kep.yaml');
  const approval = text('approval.yaml');
  const parts = {
    document: source?.text === undefined ? undefined : parseDocument(source.text),
    source,
    yaml: yaml === undefined ? undefined : readKepYaml(yaml),
    approval: approval === undefined ? undefined : readApproval(approval),
    approvalPath: 'keps/prod-readiness/sig-demo/42.yaml',
    place: around.isOrphan ? undefined : { directory: 'keps/sig-demo/42-demo', group: 'sig-demo', number: '42' },
    template,
    unreadable: around.unreadable,
    before: around.before === undefined ? undefined : parseDocument(around.before),
    repository: aRepository({
      groups: new Set(['sig-demo', 'sig-node']),
      approvers: new Set(['prr']),
      exists: (path) => path in paths,
      sameNumber: (number) => sameNumber[number] ?? [],
      statusOf: (directory) => (directory.endsWith('8-gone') ? 'withdrawn' : undefined),
      profiles: new Set(['sig-node']),
      members: (alias) => (alias === 'sig-node-tech-leads' ? new Set(['lead']) : undefined),
      ownersIn: () => around.owners,
    }),
  };
  const claims = claimsHash(extractClaims(gatherFacts(parts)));
  const evidence = around.evidence.map(({ text: raw, ...rest }, at) =>
    readEvidence(`${at}.yaml`, raw ?? writeEvidence({ ...goodEvidence, claimsHash: claims, ...rest })),
  );
  const facts = gatherFacts({ ...parts, evidence });
  const severities = new Map(rule.severity.gated === 'off' ? [[rule.id, 'warn' as const]] : []);
  const only = rule.id === 'KEP991' ? undefined : new Set([rule.id]);
  const config = { ...defaultConfig, severities, only, requireReason: rule.id === 'KEP990' };
  return checkKep(
    facts,
    { kep: 'kep', readme: 'README.md', yaml: 'kep.yaml', approval: 'approval.yaml' },
    config,
  ).filter((finding) => finding.rule === rule.id);
}

const nameOf = { readme: 'README.md', yaml: 'kep.yaml', approval: 'approval.yaml' } as const;

/** Applies the fixes that do not need a person's agreement, file by file. */
function fixed(files: Files, findings: readonly Finding[]): Files {
  const result: Record<string, Uint8Array | undefined> = { ...files };
  for (const name of ['README.md', 'kep.yaml', 'approval.yaml'] as const) {
    const edits = findings.flatMap(({ fix, file }) => (fix && nameOf[fix.file ?? file] === name ? fix.edits : []));
    const text = files[name] ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(files[name]) : '';
    if (edits.length > 0) result[name] = new TextEncoder().encode(applyEdits(text, edits));
  }
  return result as Files;
}

const shown = (findings: readonly Finding[]) =>
  findings
    .map(
      ({ path, span, severity, message }) => `${path}:${span.start.line}:${span.start.column} ${severity} ${message}\n`,
    )
    .join('');

test('every rule has an own id and name', () => {
  expect(new Set(allRules.map(({ id }) => id)).size).toBe(allRules.length);
  expect(new Set(allRules.map(({ slug }) => slug)).size).toBe(allRules.length);
});

test('every rule has its page, and every page and fixture its rule', () => {
  const ids = allRules.map(({ id }) => id).sort();
  expect(
    readdirSync(pages)
      .filter((name) => name.startsWith('KEP'))
      .map((name) => name.replace('.md', ''))
      .sort(),
  ).toEqual(ids);
  expect(
    readdirSync(testdata)
      .filter((name) => name !== 'base')
      .sort(),
  ).toEqual(ids);
  for (const { id, slug, summary } of allRules) {
    const page = readFileSync(`${pages}${id}.md`, 'utf8');
    expect(page).toContain(`# ${id}: ${slug}\n\n${summary}.`);
    expect(page).toMatch(/\*\*Why\.\*\* \S[\s\S]*\*\*To fix\.\*\* \S/);
  }
});

test('helpOf() says what the page of each rule says', () => {
  const texts = allRules.map(({ id }) => {
    const page = readFileSync(`${pages}${id}.md`, 'utf8');
    const [, why = '', fix = ''] = /\*\*Why\.\*\* ([\s\S]*?)\n\n\*\*To fix\.\*\* ([\s\S]*?)\n\n/.exec(page) ?? [];
    return { id, why: why.replace(/\s+/g, ' '), fix: fix.replace(/\s+/g, ' ') };
  });
  if (process.env.UPDATE_GOLDEN === '1') {
    const file = fileURLToPath(new URL('help-texts.ts', import.meta.url));
    const lines = texts.map(({ id, why, fix }) => `${id}\t${why}\t${fix}\n`.replaceAll('`', "'")).join('');
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, `${before.slice(0, before.indexOf('`\nKEP'))}\`\n${lines}\`;\n`);
  } else
    for (const { id, why, fix } of texts)
      expect(helpOf(id)).toEqual({ why: why.replaceAll('`', "'"), fix: fix.replaceAll('`', "'") });
});

test.each(allRules.map((rule) => [rule.id, rule] as const))(
  '%s finds what is bad, and nothing in what is good',
  (id, rule) => {
    const folder = `${testdata}${id}/`;
    const found = findingsOf(rule, filesOf(`${folder}bad`), `${folder}bad`);
    expect(found).not.toEqual([]);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(`${folder}bad/findings.txt`, shown(found));
    expect(shown(found)).toBe(readFileSync(`${folder}bad/findings.txt`, 'utf8'));
    expect(findingsOf(rule, filesOf(`${folder}good`), `${folder}good`)).toEqual([]);
  },
);

const fixable = allRules.filter((rule) =>
  findingsOf(rule, filesOf(`${testdata}${rule.id}/bad`), `${testdata}${rule.id}/bad`).some(({ fix }) => fix),
);

test.each(fixable.map((rule) => [rule.id, rule] as const))('%s does away with what it finds', (id, rule) => {
  const folder = `${testdata}${id}/`;
  const bad = filesOf(`${folder}bad`);
  const found = findingsOf(rule, bad, `${folder}bad`);
  const files = fixed(bad, found);
  for (const name of ['README.md', 'kep.yaml', 'approval.yaml'] as const) {
    if (files[name] === bad[name]) continue;
    const path = `${folder}fixed/${name}`;
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(`${folder}fixed`, { recursive: true });
      writeFileSync(path, files[name] ?? '');
    }
    expect(Buffer.from(files[name] ?? []).toString()).toBe(readFileSync(path, 'utf8'));
  }
  const unfixed = found.filter(({ fix }) => !fix).map(({ message }) => message);
  expect(findingsOf(rule, files, `${folder}bad`).map(({ message }) => message)).toEqual(unfixed);
});
