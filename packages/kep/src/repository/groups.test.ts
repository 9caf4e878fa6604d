import { parseYaml, YamlError } from '@slipway/safe-yaml';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupsOfAliases, plainAliases } from './groups.js';

const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('  sig-node-leads:', '  sig-node-leads: # two', '  a:', '  b-c:', '    - eve'),
  },
  { weight: 8, arbitrary: fc.constantFrom('  - ann', '    - Bob', '    - eve # new', '  - null', '    - True', '- x') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('aliases:', '', '# note', '  # note', '   ', '  - ann#b', '  - 12', '  - [a]'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\t- ann', '  a: [b]', '  a: &x', '  - ann:', '---', '...', '   - ann', '\r'),
  },
);

test('plainAliases() reads nothing that YAML reads in another way', () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const text = ['aliases:', ...lines, ''].join('\n');
      const found = plainAliases(text);
      if (!found) return;
      plain++;
      expect({ aliases: Object.keys(found).length > 0 ? found : null }).toEqual(asYaml(text));
    }),
    { numRuns: 5_000 },
  );
  expect(plain).toBeGreaterThan(100);
});

function asYaml(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return error.message;
    throw error;
  }
}

test.each([
  ['as most are', 'aliases:\n  sig-a-leads:\n  - Ann # chair\n  prod-readiness-approvers:\n    - "@bob"\n    - Eve\n'],
  ['in brackets', 'aliases: { sig-a-leads: ["@Ann"], prod-readiness-approvers: [bob, Eve] }\n'],
])('groupsOfAliases() reads a file %s', (_, text) => {
  const { groups, approvers, members } = groupsOfAliases(text);
  expect([...(groups ?? [])]).toEqual(['sig-a']);
  expect([...(approvers ?? [])]).toEqual(['bob', 'Eve']);
  expect([...(members.get('sig-a-leads') ?? [])]).toEqual(['ann']);
});
