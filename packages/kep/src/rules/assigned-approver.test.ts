import { expect, test } from 'vitest';
import { checkKep } from '../check/check-kep.js';
import { defaultConfig } from '../check/config.js';
import { gatherFacts } from '../facts/facts.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { builtinTemplateText } from '../repository/repository.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';

const template = readTemplate(builtinTemplateText(), 'builtin:2026.1');
const approver = '# sig-node-assigned-approver';
const reviewer = '# sig-node-assigned-reviewer';

interface Case {
  readonly group?: string;
  readonly status?: string;
  readonly stage?: string;
  readonly milestone?: string;
  readonly reviewers?: string;
  readonly approvers: string;
  readonly owners?: string;
  readonly release?: number;
}

function messages(each: Case): string[] {
  const { group = 'sig-node', status = 'implementable', stage = 'beta', milestone = 'v1.37' } = each;
  const yaml = `owning-sig: sig-node
status: ${status}
stage: ${stage}
latest-milestone: ${milestone}
reviewers: ${each.reviewers ?? '[]'}
approvers: ${each.approvers}
`;
  const facts = gatherFacts({
    document: undefined,
    source: undefined,
    yaml: readKepYaml(yaml),
    approval: undefined,
    approvalPath: undefined,
    place: { directory: `keps/${group}/42-bells`, group, number: '42' },
    template,
    repository: aRepository({
      profiles: new Set(['sig-node']),
      release: each.release,
      members: (alias) => (alias === 'sig-node-tech-leads' ? new Set(['lead']) : undefined),
      ownersIn: () => each.owners,
    }),
  });
  const paths = { kep: 'k', readme: 'r', yaml: 'y', approval: 'a' };
  return checkKep(facts, paths, { ...defaultConfig, only: new Set(['KEP621']) }).map(({ message }) => message);
}

const marked = `\n  - "@ringer" ${approver}`;
const ownersList = 'approvers:\n  - ringer\n';

// What upstream's verification of node approvers says for the same files.
test.each<[string, Case, string[]]>([
  ['a tech lead', { approvers: '["@Lead"]' }, []],
  ['a marked person whom OWNERS lists without a mark', { approvers: marked, owners: ownersList }, []],
  ['a marked person and no OWNERS', { approvers: marked }, ['@ringer is marked']],
  ['a marked person who reviews only', { approvers: marked, owners: 'reviewers: [ringer]' }, ['ringer', '@ringer is']],
  ['another person', { approvers: '["@other"]' }, ['name a tech lead of sig-node as approver, or a person marked']],
  ['a mark with more words', { approvers: `${marked} soon`, owners: ownersList }, ['OWNERS lists ringer', 'name a']],
  ['a person in OWNERS only', { approvers: '["@lead"]', owners: ownersList }, ['OWNERS lists ringer under approvers']],
  [
    'reviewers',
    {
      approvers: '["@lead"]',
      reviewers: `\n  - "@a" ${reviewer}\n  - "@b" ${reviewer}`,
      owners: 'reviewers: [A, "@c"]',
    },
    ['OWNERS lists c under reviewers', '@b is marked'],
  ],
  ['OWNERS that cannot be read', { approvers: '["@lead"]', owners: 'approvers: [' }, []],
  ['an old proposal', { approvers: '["@other"]', milestone: 'v1.35' }, []],
  ['another group', { approvers: '["@other"]', group: 'sig-demo' }, []],
  [
    'another group with OWNERS',
    { approvers: '["@a"]', group: 'sig-demo', owners: ownersList },
    ['OWNERS lists ringer'],
  ],
  ['a provisional one', { approvers: '["@other"]', status: 'provisional' }, ['name a tech lead']],
  ['a deferred one', { approvers: '["@other"]', status: 'deferred' }, ['name a tech lead']],
  ['a withdrawn one', { approvers: '["@other"]', status: 'withdrawn' }, []],
  ['alpha in a release unknown', { approvers: marked, owners: ownersList, stage: 'alpha' }, []],
  ['alpha in an earlier release', { approvers: marked, owners: ownersList, stage: 'alpha', release: 38 }, []],
  [
    'alpha in this release',
    { approvers: marked, owners: ownersList, stage: 'alpha', release: 37 },
    ['name a tech lead of sig-node as approver', '@ringer cannot be marked'],
  ],
])('assignedApprover: %s', (_, each, wanted) => {
  const found = messages(each);
  expect(found).toHaveLength(wanted.length);
  wanted.forEach((start, at) => {
    expect(found[at]).toContain(start);
  });
});
