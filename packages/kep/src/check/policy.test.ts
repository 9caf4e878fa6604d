import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { gatherFacts } from '../facts/facts.js';
import { ConfigError } from '../kinds/config-error.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { builtinTemplateText } from '../repository/repository.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';
import { checkKep } from './check-kep.js';
import { readConfig } from './config.js';

const template = readTemplate(builtinTemplateText(), 'builtin:2026.1');
const directory = 'keps/sig-demo/42-bells';

/** What KEP306 and KEP991 find in a README with a TODO that its author hides, under a policy. */
function found(policy: string, { milestone = 'v1.37', today = '2026-11-25' } = {}): string[] {
  const yaml = `status: implementable\nstage: alpha\nlatest-milestone: ${milestone}\n`;
  const facts = gatherFacts({
    document: parseDocument('# KEP-42: Bells\n\n<!-- slipway-disable-next-line KEP306 later -->\nTODO\n\nTODO\n'),
    source: undefined,
    yaml: readKepYaml(yaml),
    approval: undefined,
    approvalPath: undefined,
    place: { directory, group: 'sig-demo', number: '42' },
    template,
    repository: aRepository(),
  });
  const paths = { kep: directory, readme: 'README.md', yaml: 'kep.yaml', approval: 'a' };
  return checkKep(facts, paths, { ...readConfig(policy), today })
    .filter(({ rule }) => rule === 'KEP306' || rule === 'KEP991')
    .map(({ rule, severity, span, message, waived }) =>
      waived === undefined
        ? `${span.start.line} ${severity} ${rule} ${message}`
        : `${span.start.line} waived: ${waived}`,
    );
}

const waiver = (until: string, kep = directory) =>
  `waivers: [{ rule: KEP306, kep: ${kep}, owner: "@lead", reason: frozen, until: "${until}" }]`;

test.each<[string, string, Parameters<typeof found>[1], string[]]>([
  ['no policy', '', {}, ['4 waived: later', '6 warn KEP306 here stands TODO']],
  [
    'a rule that authors cannot waive',
    'policy: { unwaivable: [todo-in-text] }',
    {},
    [
      '3 warn KEP991 KEP306 cannot be hidden by a comment: the policy of the repository says so',
      '4 warn KEP306 here stands TODO',
      '6 warn KEP306 here stands TODO',
    ],
  ],
  [
    'a waiver of the repository',
    `policy: { unwaivable: [KEP306] }\n${waiver('2026-11-25')}`,
    {},
    [
      '3 warn KEP991 KEP306 cannot be hidden by a comment: the policy of the repository says so',
      '4 waived: frozen (@lead, until 2026-11-25)',
      '6 waived: frozen (@lead, until 2026-11-25)',
    ],
  ],
  [
    'a waiver that is over',
    waiver('2026-11-24'),
    {},
    ['4 waived: later', '6 warn KEP306 here stands TODO (a waiver by @lead ended on 2026-11-24)'],
  ],
  [
    'a waiver for another',
    waiver('2027-01-01', 'keps/sig-demo/4'),
    {},
    ['4 waived: later', '6 warn KEP306 here stands TODO'],
  ],
  [
    'a rule that waits, for this release',
    'policy: { release: v1.37 }\nrules: { KEP306: wait }',
    {},
    ['4 waived: later', '6 error KEP306 here stands TODO'],
  ],
  [
    'a rule that waits, for an earlier release',
    'policy: { release: v1.38 }\nrules: { KEP306: wait }',
    {},
    ['4 waived: later', '6 info KEP306 here stands TODO'],
  ],
  [
    'a rule that waits, for no release',
    'policy: { release: v1.37 }\nrules: { KEP306: wait }',
    { milestone: '"0.0"' },
    ['4 waived: later', '6 info KEP306 here stands TODO'],
  ],
])('checkKep() under %s', (_, policy, options, wanted) => {
  expect(found(policy, options)).toEqual(wanted);
});

test.each([
  ['policy: { unwaivable: KEP306 }', /policy\.unwaivable is not a list/],
  ['policy: { unwaivable: [KEP999] }', /no rule is called KEP999/],
  ['policy: { release: soon }', /policy\.release: soon is not a release/],
  ['rules: { KEP306: wait }', /rules\.KEP306: wait needs policy\.release/],
  ['waivers: {}', /waivers is not a list/],
  ['waivers: [{ rule: KEP306 }]', /waivers\[0\] has no until/],
  ['waivers: [{ rule: KEP306, until: soon }]', /waivers\[0\]\.until: soon is not a day/],
  ['waivers: [{ rule: KEP306, until: "2027-01-01", kep: x, owner: "@a" }]', /waivers\[0\] has no reason/],
  ['waivers: [{ rul: KEP306 }]', /unknown setting waivers\[0\]\.rul/],
])('readConfig() refuses %j', (text, says) => {
  expect(() => readConfig(text)).toThrow(ConfigError);
  expect(() => readConfig(text)).toThrow(says);
});
