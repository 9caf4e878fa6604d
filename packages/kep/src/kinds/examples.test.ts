import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from '../check/config.js';
import { KepRepository } from '../repository/repository.js';
import { lintTemplate } from '../template/lint.js';

const examples = fileURLToPath(new URL('../../../../examples/proposal-kinds/', import.meta.url));

function exampleRepository(name: string): KepRepository {
  const root = `${examples}${name}`;
  return new KepRepository({ root, keps: root }, readConfig(readFileSync(`${root}/.slipway/kep.yaml`, 'utf8')));
}

test.each(['eips', 'rust-rfcs', 'adrs'])(
  'KepRepository holds the 20 documents of %s to what their kind declares',
  (name) => {
    const repository = exampleRepository(name);
    expect(repository.keps()).toHaveLength(20);
    const lines = repository.keps().flatMap((found) => {
      const kep = repository.load(found);
      const findings = repository.check(repository.facts(kep), kep);
      return findings.map(
        ({ path, span, severity, rule, message }) =>
          `${path}:${span.start.line}:${span.start.column} ${severity} ${rule} ${message}`,
      );
    });
    const recorded = `${examples}${name}/findings.txt`;
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(recorded, `${lines.join('\n')}\n`);
    expect(lines).toEqual(readFileSync(recorded, 'utf8').trimEnd().split('\n'));
  },
);

test.each([
  ['eips', 'EIPS/eip-11.md', { Draft: 3, Review: 2, 'Last Call': 0, Final: 0 }],
  ['rust-rfcs', 'text/0001-spare-bits.md', { '': 7 }],
  ['adrs', 'doc/adr/0001-record-decisions.md', { Proposed: 3, Accepted: 1 }],
])('lintTemplate() counts what each stage of %s asks for', (name, path, byStage) => {
  const repository = exampleRepository(name);
  const found = repository.documentAt(path);
  expect(found && lintTemplate(repository.templateOf(found))).toMatchObject({ byStage });
});
