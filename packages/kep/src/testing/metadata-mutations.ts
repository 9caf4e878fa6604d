import fc from 'fast-check';

/** The metadata of one proposal, as its two files. */
export interface MetadataTexts {
  readonly kep: string;
  readonly approval: string;
}

const fields: readonly (readonly [string, string])[] = [
  ['title', 'Louder bells'],
  ['kep-number', '42'],
  ['authors', '["@one"]'],
  ['owning-sig', 'sig-demo'],
  ['participating-sigs', '[sig-node]'],
  ['status', 'implementable'],
  ['creation-date', '2026-01-02'],
  ['last-updated', '2026-02-03'],
  ['reviewers', '["@two"]'],
  ['approvers', '["@three"]'],
  ['editor', '"@four"'],
  ['see-also', '[/keps/sig-demo/7-other]'],
  ['replaces', '[]'],
  ['superseded-by', '[]'],
  ['stage', 'alpha'],
  ['latest-milestone', 'v1.37'],
  ['milestone', '\n  alpha: v1.37\n  beta: v1.38'],
  ['feature-gates', '\n  - name: LouderBells\n    components: [kubelet]'],
  ['disable-supported', 'true'],
  ['metrics', '[bells_total]'],
];

const approvalFields: readonly (readonly [string, string])[] = [
  ['kep-number', '42'],
  ['alpha', '\n  approver: "@prr"'],
];

/** Values of every YAML kind, with the ones that readers disagree on. */
const anyValue = fc.constantFrom(
  ...['', '~', 'null', 'Null', 'NULL', '""', "''", '{}', '[]', '[[]]', '[null]', '[~, a]', '[{a: b}]', '{a: b}'],
  ...[
    'text',
    '"text"',
    "'@one'",
    '@one',
    '`one`',
    '%one',
    'a: b',
    'a # b',
    '!!str 1',
    '!!int "1"',
    '!own x',
    '&a b',
    '*a',
  ],
  ...[
    'true',
    'True',
    'TRUE',
    'yes',
    'Yes',
    'on',
    'off',
    'y',
    'n',
    'no',
    'false',
    '"true"',
    '1',
    '0',
    '-1',
    '1.0',
    '1_000',
    '0x2A',
  ],
  ...[
    '0o52',
    '052',
    '0b1',
    '.inf',
    '.nan',
    '1e3',
    '12345678901234567890',
    '2026-01-02',
    '2026-01-02T03:04:05Z',
    '1:30',
  ],
  ...[
    'v1.37',
    '1.37',
    'v1.37.0',
    'v1.2',
    'v1',
    '"v1.37 "',
    'v01.37',
    'v1.x',
    'v1.37-alpha',
    'v1.21',
    'v1.20',
    'TBD',
    '0.0',
    'v0.0',
  ],
  ...[
    'alpha',
    'Alpha',
    'beta',
    'stable',
    'ga',
    'disabled',
    'implemented',
    'Implementable',
    'provisional',
    'replaced',
    'withdrawn',
  ],
  ...[
    'sig-demo',
    'Sig-Demo',
    'sig-nowhere',
    'committee-security-response',
    '[sig-node, sig-nowhere]',
    '["@prr"]',
    '"@prr"',
    'PRR',
    '@PRR',
  ],
  ...[
    '[a, b]',
    '[a, 1, true]',
    '[1.5, ~]',
    '[2026-01-02]',
    '\n  - a\n  - b',
    '\n- a',
    '\n  - - a',
    '|\n  text',
    '>-\n  text',
    '"a\\nb"',
  ],
  ...[
    '{approver: "@prr"}',
    '{approver: [a]}',
    '{approver: }',
    '{approver: "@prr", reviewer: x}',
    '{Approver: "@prr"}',
    '{approver: "@nobody"}',
    '{approver: "@PRR"}',
    '{approver: "@@prr"}',
  ],
  ...[
    '{alpha: v1.37}',
    '{ga: v1.39}',
    '{alpha: [v1]}',
    '{alpha: {a: b}}',
    '{alpha: 1.37, beta: ~}',
    '{alpha: "v1.37", alpha: "v1.38"}',
  ],
  ...[
    '[{name: A}]',
    '[{name: A, component: kubelet}]',
    '[{name: A, components: kubelet}]',
    '[{name: [A]}]',
    '[A]',
    '[{components: [kubelet]}]',
  ],
  ...[
    '[{name: A, components: [1]}]',
    '[{name: ~, components: ~}]',
    '{name: A}',
    '"---"',
    'a --- b',
    '"unclosed',
    '[unclosed',
    '{unclosed',
  ],
);

const anyKey = fc.constantFrom(
  ...fields.map(([name]) => name),
  ...[
    'Title',
    'title ',
    'kep_number',
    'kepNumber',
    'author',
    'owning_sig',
    'prr-approvers',
    'ga',
    'id',
    'name',
    'path',
    'error',
    'markdown',
  ],
  ...['"title"', "'stage'", '1', 'true', '~', '<<', '? a', 'filename', 'beta', 'removed'],
);

const anyLine = fc.constantFrom(
  ...[
    '---',
    '...',
    '--- ',
    '# text',
    '#',
    '',
    ' ',
    '\t',
    'text',
    '- a',
    '%YAML 1.2',
    '\ufeff',
    'a',
    '  x: y',
    '\ttitle: x',
    '<<: {stage: beta}',
  ],
  ...[
    '# a --- b',
    'title: again',
    '{}',
    '[]',
    '? complex\n: value',
    '!!map',
    '&anchor',
    '\u0000',
    '\u0007',
    '\u2028',
    '\ud800',
  ],
);

interface Mutation {
  readonly file: keyof MetadataTexts;
  readonly at: number;
  readonly kind: 'value' | 'key' | 'remove' | 'repeat' | 'insert' | 'end-of-line';
  readonly value: string;
  readonly key: string;
  readonly line: string;
}

const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  file: fc.constantFrom('kep', 'kep', 'kep', 'approval'),
  at: fc.nat(fields.length - 1),
  kind: fc.constantFrom('value', 'value', 'value', 'value', 'key', 'remove', 'repeat', 'insert', 'end-of-line'),
  value: anyValue,
  key: anyKey,
  line: anyLine,
});

/** Valid metadata with one to three things changed. */
export const mutatedMetadata: fc.Arbitrary<MetadataTexts> = fc
  .array(anyMutation, { minLength: 1, maxLength: 3 })
  .map((mutations) => {
    const lines = {
      kep: fields.map(([name, value]) => `${name}: ${value}`),
      approval: approvalFields.map(([name, value]) => `${name}: ${value}`),
    };
    for (const { file, at, kind, value, key, line } of mutations) {
      const list = lines[file];
      const index = at % Math.max(1, list.length);
      const [name = ''] = (list[index] ?? '').split(':');
      if (kind === 'value') list[index] = `${name}: ${value}`;
      if (kind === 'key') list[index] = (list[index] ?? '').replace(/^[^:]*/, () => key);
      if (kind === 'remove') list.splice(index, 1);
      if (kind === 'repeat') list.push(`${name}: ${value}`);
      if (kind === 'insert') list.splice(index, 0, line);
      if (kind === 'end-of-line') list[index] += '\r';
    }
    return { kep: `${lines.kep.join('\n')}\n`, approval: `${lines.approval.join('\n')}\n` };
  });

/** The metadata that the mutations begin with. */
export const validMetadata: MetadataTexts = {
  kep: fields.map(([name, value]) => `${name}: ${value}\n`).join(''),
  approval: approvalFields.map(([name, value]) => `${name}: ${value}\n`).join(''),
};
