import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkKep } from '../check/check-kep.js';
import { defaultConfig } from '../check/config.js';
import type { Finding } from '../check/finding.js';
import { parseDocument } from '../document/document.js';
import { readApproval } from '../metadata/approval.js';
import { applyEdits } from '../metadata/edit.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { decode } from '../repository/read-source.js';
import { readTemplate } from '../template/template.js';
import { allRules } from './catalogue.js';
import { gatherFacts } from './facts.js';
import type { Rule } from './rule.js';

const testdata = fileURLToPath(new URL('../../testdata/rules/', import.meta.url));
const pages = fileURLToPath(new URL('../../../../docs/reference/rules/', import.meta.url));
const template = readTemplate(readFileSync(`${testdata}base/template.md`, 'utf8'), 'fixture');
const paths = {
  'keps/sig-demo/42-demo/picture.png': true,
  'keps/sig-demo/7-other': true,
  'keps/sig-demo/8-gone': true,
};

type Files = Readonly<Record<'README.md' | 'kep.yaml' | 'approval.yaml', Uint8Array | undefined>>;

/** A fixture holds the files that differ from `base`; `without` names one that is not there. */
function filesOf(folder: string): Files {
  const without = existsSync(`${folder}/without`) ? readFileSync(`${folder}/without`, 'utf8').trim() : '';
  const read = (name: string, part: string) => {
    if (without === part) return undefined;
    return readFileSync(existsSync(`${folder}/${name}`) ? `${folder}/${name}` : `${testdata}base/${name}`);
  };
  return {
    'README.md': read('README.md', 'readme'),
    'kep.yaml': read('kep.yaml', 'yaml'),
    'approval.yaml': read('approval.yaml', 'approval'),
  };
}

function findingsOf(rule: Rule, files: Files): Finding[] {
  const source = files['README.md'] && decode(files['README.md'], 10_000);
  const text = (name: keyof Files) => files[name] && new TextDecoder().decode(files[name]);
  const yaml = text('kep.yaml');
  const approval = text('approval.yaml');
  const facts = gatherFacts({
    document: source?.text === undefined ? undefined : parseDocument(source.text),
    source,
    yaml: yaml === undefined ? undefined : readKepYaml(yaml),
    approval: approval === undefined ? undefined : readApproval(approval),
    approvalPath: 'keps/prod-readiness/sig-demo/42.yaml',
    place: { directory: 'keps/sig-demo/42-demo', group: 'sig-demo', number: '42' },
    template,
    repository: {
      groups: new Set(['sig-demo', 'sig-node']),
      approvers: new Set(['prr']),
      components: new Set(defaultConfig.components),
      exists: (path) => path in paths,
      sameNumber: (number) => (number === '43' ? ['keps/sig-demo/43-other'] : []),
      statusOf: (directory) => (directory.endsWith('8-gone') ? 'withdrawn' : undefined),
    },
  });
  const severities = new Map(rule.severity.gated === 'off' ? [[rule.id, 'warn' as const]] : []);
  const only = rule.id === 'KEP991' ? undefined : new Set([rule.id]);
  const config = { ...defaultConfig, severities, only, requireReason: rule.id === 'KEP990' };
  return checkKep(
    facts,
    { kep: 'kep', readme: 'README.md', yaml: 'kep.yaml', approval: 'approval.yaml' },
    config,
  ).filter((finding) => finding.rule === rule.id);
}

/** Applies the fixes that do not need a person's agreement, file by file. */
function fixed(files: Files, findings: readonly Finding[]): Files {
  const result: Record<string, Uint8Array | undefined> = { ...files };
  for (const name of ['README.md', 'kep.yaml', 'approval.yaml'] as const) {
    const edits = findings.filter(({ path }) => path === name).flatMap(({ fix }) => fix?.edits ?? []);
    const text = files[name] && new TextDecoder('utf-8', { ignoreBOM: true }).decode(files[name]);
    if (text !== undefined && edits.length > 0) result[name] = new TextEncoder().encode(applyEdits(text, edits));
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

test.each(allRules.map((rule) => [rule.id, rule] as const))(
  '%s finds what is bad, and nothing in what is good',
  (id, rule) => {
    const folder = `${testdata}${id}/`;
    const found = findingsOf(rule, filesOf(`${folder}bad`));
    expect(found).not.toEqual([]);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(`${folder}bad/findings.txt`, shown(found));
    expect(shown(found)).toBe(readFileSync(`${folder}bad/findings.txt`, 'utf8'));
    expect(findingsOf(rule, filesOf(`${folder}good`))).toEqual([]);
  },
);

const fixable = allRules.filter((rule) =>
  findingsOf(rule, filesOf(`${testdata}${rule.id}/bad`)).some(({ fix }) => fix),
);

test.each(fixable.map((rule) => [rule.id, rule] as const))('%s does away with what it finds', (id, rule) => {
  const folder = `${testdata}${id}/`;
  const bad = filesOf(`${folder}bad`);
  const files = fixed(bad, findingsOf(rule, bad));
  for (const name of ['README.md', 'kep.yaml', 'approval.yaml'] as const) {
    if (files[name] === bad[name]) continue;
    const path = `${folder}fixed/${name}`;
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(`${folder}fixed`, { recursive: true });
      writeFileSync(path, files[name] ?? '');
    }
    expect(Buffer.from(files[name] ?? []).toString()).toBe(readFileSync(path, 'utf8'));
  }
  expect(findingsOf(rule, files)).toEqual([]);
});
