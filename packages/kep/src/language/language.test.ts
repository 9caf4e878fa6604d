import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkKep } from '../check/check-kep.js';
import { defaultConfig } from '../check/config.js';
import { parseDocument } from '../document/document.js';
import { gatherFacts } from '../facts/facts.js';
import { readApproval } from '../metadata/approval.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';
import { codeActionsAt } from './code-actions.js';
import { codeLenses } from './code-lens.js';
import { completionsInApproval, completionsInReadme, completionsInYaml } from './completion.js';
import { diagnosticsOf } from './diagnostics.js';
import { type DocumentSymbol, documentSymbols } from './document-symbols.js';
import { foldingRanges } from './folding-ranges.js';
import { hoverInReadme, hoverInYaml } from './hover.js';
import { fileOf, type OpenKep } from './open-kep.js';
import { gateAt, renameGate } from './rename-gate.js';
import { offsetOf, positionOf } from './text-range.js';

const base = fileURLToPath(new URL('../../testdata/rules/base/', import.meta.url));
const read = (name: string) => readFileSync(`${base}${name}`, 'utf8');
const template = readTemplate(
  read('template.md').replace('## Design Details\n', '## Design Details\n<!--\nHow it is built.\n-->\n'),
  'fixture',
);

/** The good proposal of the fixtures, with edits. */
function open(edit: { readme?: (text: string) => string; yaml?: (text: string) => string } = {}): OpenKep {
  const facts = gatherFacts({
    document: parseDocument((edit.readme ?? String)(read('README.md'))),
    source: undefined,
    yaml: readKepYaml((edit.yaml ?? String)(read('kep.yaml'))),
    approval: readApproval(read('approval.yaml')),
    approvalPath: 'keps/prod-readiness/sig-demo/42.yaml',
    place: { directory: 'keps/sig-demo/42-demo', group: 'sig-demo', number: '42' },
    template,
    repository: aRepository({
      groups: new Set(['sig-demo', 'sig-node']),
      approvers: new Set(['prr']),
      exists: () => true,
    }),
  });
  return { facts, findings: checkKep(facts, { kep: 'k', readme: 'r', yaml: 'y', approval: 'a' }, defaultConfig) };
}

const place = (kep: OpenKep, role: 'readme' | 'yaml' | 'approval', text: string) => {
  const file = fileOf(kep, role);
  if (!file) throw new Error(`no ${role}`);
  const at = file.text.indexOf(text);
  if (at < 0) throw new Error(`no ${text}`);
  return positionOf(file.lines, at);
};
const behind = (kep: OpenKep, role: 'readme' | 'yaml' | 'approval', text: string) => {
  const { line, character } = place(kep, role, text);
  return { line, character: character + text.length };
};

test('diagnosticsOf() shows each finding where it is, file by file', () => {
  const kep = open({ readme: (text) => text.replace(/A bell that is too loud.*/, 'TODO') });
  expect(diagnosticsOf(kep, 'readme').filter(({ severity }) => severity === 1)).toEqual([
    {
      range: {
        start: place(kep, 'readme', '### Risks and Mitigations'),
        end: behind(kep, 'readme', '### Risks and Mitigations'),
      },
      severity: 1,
      code: 'KEP203',
      source: 'slipway kep',
      message: '"Risks and Mitigations" has only a placeholder; it is required from alpha on',
    },
  ]);
  expect(diagnosticsOf(open({ yaml: (text) => text.replace('beta\n', 'betta\n') }), 'yaml')).toMatchObject([
    { code: 'KEP505', severity: 1 },
  ]);
});

test('codeActionsAt() offers the fix and a comment that says why it does not count', () => {
  const kep = open({ yaml: (text) => text.replace('stage: beta', 'stage: betta') });
  const at = place(kep, 'yaml', 'betta');
  const actions = codeActionsAt(kep, 'yaml', { start: at, end: at });
  expect(actions.map(({ title, isPreferred, edits }) => [title, isPreferred, edits[0]?.newText])).toEqual([
    ['KEP505: correct it', true, 'beta'],
    ['KEP505: say why it does not count here', false, '# slipway-disable KEP505 why it does not count\n'],
  ]);
  expect(codeActionsAt(kep, 'yaml', { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } })).toEqual([]);
});

test('hoverInReadme() says what a section is for, hoverInYaml() what a field is for', () => {
  const kep = open();
  const design = hoverInReadme(kep, place(kep, 'readme', '## Design Details'));
  expect(design?.markdown).toBe('Required from **alpha** on; answered.\n\nHow it is built.');
  expect(hoverInReadme(kep, place(kep, 'readme', 'Every bell'))).toBeUndefined();
  expect(hoverInYaml(kep, place(kep, 'yaml', 'disable-supported'))?.markdown).toMatch(/switched off again/);
  expect(hoverInYaml(kep, place(kep, 'yaml', '"@ringer"'))).toBeUndefined();
});

test('documentSymbols() nests sections, and foldingRanges() folds them and long comments', () => {
  const { document } = open({ readme: (text) => `${text}\n<!--\nlong\n-->\n` }).facts;
  if (!document) throw new Error('no document');
  const names = ({ name, children }: DocumentSymbol): unknown => [name, ...children.map(names)];
  expect(documentSymbols(document).map(names)).toEqual([
    [
      'KEP-42: Louder bells',
      ['Release Signoff Checklist'],
      ['Summary', ['Risks and Mitigations']],
      ['Design Details', ['Prerequisite testing updates'], ['e2e tests'], ['Graduation Criteria', ['Beta'], ['GA']]],
      [
        'Questionnaire',
        ['How can this feature be enabled / disabled in a live cluster?'],
        ['Can the feature be disabled once it has been enabled (i.e. can we roll back the enablement)?'],
        ['What are the SLIs?'],
      ],
      ['Implementation History'],
    ],
  ]);
  const folds = foldingRanges(document);
  expect(folds.filter(({ kind }) => kind === 'comment')).toHaveLength(1);
  expect(folds.every(({ startLine, endLine }) => endLine > startLine)).toBe(true);
});

// file | what the line before the cursor is | what is offered
const completions: ['readme' | 'yaml' | 'approval', string, string][] = [
  ['readme', '## Des', '## Design Details'],
  ['readme', '<!-- slipway-disable-next-line KEP40', 'KEP405'],
  ['readme', '  - Feature gate name: Lo', 'LouderBells'],
  ['yaml', 'sta', 'stage'],
  ['yaml', 'status: im', 'implemented'],
  ['yaml', 'owning-sig: ', 'sig-node'],
  ['yaml', '      - kube', 'kubelet'],
  ['approval', '  approver: ', '"@prr"'],
];

test.each(completions)('completions in %s behind %j', (role, before, offered) => {
  const add = (text: string) =>
    role === 'yaml' && before.startsWith('      -')
      ? text.replace('      - kubelet\n', `      - kubelet\n${before}\n`)
      : `${text.replace('## Design Details\n\nEvery bell has a volume.\n', '').replace(/^stage: .*\n/m, '')}${before}\n`;
  const edited = open({ [role === 'approval' ? 'readme' : role]: add });
  const kep =
    role === 'approval'
      ? { ...edited, facts: { ...edited.facts, approval: readApproval(`kep-number: 42\nalpha:\n${before}\n`) } }
      : edited;
  const at = behind(kep, role, before);
  const offer = { readme: completionsInReadme, yaml: completionsInYaml, approval: completionsInApproval }[role];
  const items = offer(kep, at).map(({ edit }) => edit.newText.trim().replace(/:$/, ''));
  expect(items).toContain(offered);
  const { lines } = fileOf(kep, role) ?? { lines: undefined };
  for (const { edit } of offer(kep, at)) {
    expect(lines && offsetOf(lines, edit.range.end)).toBe(lines && offsetOf(lines, at));
  }
});

test('codeLenses() counts what is open', () => {
  const all = codeLenses(open()).map(({ title }) => title);
  expect(all).toContain('all answered for beta');
  const titles = codeLenses(open({ readme: (text) => text.replace(/A bell that is too loud.*/, '') })).map(
    ({ title }) => title,
  );
  expect(titles).toContain('1 of 2 open for beta');
});

test('renameGate() renames a gate in all files of a proposal, and only whole words', () => {
  const kep = open({ readme: (text) => `${text}\nLouderBellsTest and LouderBells\n` });
  const gate = gateAt(kep, 'readme', behind(kep, 'readme', 'Feature gate name: Loud'));
  expect(gate?.name).toBe('LouderBells');
  const edits = renameGate(kep, 'LouderBells', 'SofterBells');
  expect([edits?.get('readme')?.length, edits?.get('yaml')?.length]).toEqual([2, 1]);
  expect(renameGate(kep, 'LouderBells', 'softer bells')).toBeUndefined();
  expect(gateAt(kep, 'readme', place(kep, 'readme', 'Every bell'))).toBeUndefined();
});
