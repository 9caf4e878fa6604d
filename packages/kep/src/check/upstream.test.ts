import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { gatherFacts } from '../facts/facts.js';
import { readApproval } from '../metadata/approval.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { builtinTemplateText } from '../repository/repository.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';
import { type MetadataTexts, mutatedMetadata, validMetadata } from '../testing/metadata-mutations.js';
import { testFolder } from '../testing/test-folder.js';
import { checkKep } from './check-kep.js';
import { defaultConfig } from './config.js';

const checkout = process.env.SLIPWAY_KEP_CORPUS ?? '';
const program = fileURLToPath(new URL('../../testdata/upstream-validator/main.go', import.meta.url));
const template = readTemplate(builtinTemplateText(), 'builtin:2026.1');
const repository = aRepository({
  groups: new Set(['sig-demo', 'sig-node', 'committee-security-response']),
  approvers: new Set(['prr']),
  components: new Set(['kubelet']),
  exists: () => true,
});

/** Errors that we find in the metadata of a proposal. */
function ours({ kep, approval }: MetadataTexts): string[] {
  const facts = gatherFacts({
    document: undefined,
    source: undefined,
    yaml: readKepYaml(kep),
    approval: readApproval(approval),
    approvalPath: 'keps/prod-readiness/sig-demo/42.yaml',
    place: { directory: 'keps/sig-demo/42-louder-bells', group: 'sig-demo', number: '42' },
    template,
    repository,
  });
  const paths = { kep: 'k', readme: 'r', yaml: 'kep.yaml', approval: '42.yaml' };
  return checkKep(facts, paths, defaultConfig)
    .filter(({ severity, file }) => severity === 'error' && file !== 'readme')
    .map(({ rule, message }) => `${rule} ${message}`);
}

/** What upstream's validators answer, one list of errors for each. */
function upstreams(cases: readonly MetadataTexts[]): string[][] {
  const folder = testFolder();
  const overlay = join(folder, 'overlay.json');
  writeFileSync(overlay, JSON.stringify({ Replace: { [join(checkout, 'cmd/slipway/main.go')]: program } }));
  const validator = join(folder, 'validator');
  const built = spawnSync('go', ['build', '-overlay', overlay, '-o', validator, './cmd/slipway'], {
    cwd: checkout,
    encoding: 'utf8',
  });
  expect(built.stderr.replace(/^go: downloading .*\n/gm, '')).toBe('');
  const input = JSON.stringify(cases);
  const answered = spawnSync(validator, { input, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  expect(answered.stderr).toBe('');
  return JSON.parse(answered.stdout);
}

test('what upstream rejects, we reject', { timeout: 300_000 }, (context) => {
  needs(context, 'validators of kubernetes/enhancements');
  const cases = [
    validMetadata,
    ...fc.sample(mutatedMetadata, { numRuns: 5_000, seed: Number(process.env.SLIPWAY_SEED) }),
  ];
  const answers = upstreams(cases);
  expect([answers[0], ours(validMetadata)]).toEqual([[], []]);
  const accepted = cases.flatMap((texts, at) => {
    const [first] = answers[at] ?? [];
    return first !== undefined && ours(texts).length === 0 ? [{ upstream: first, ...texts }] : [];
  });
  expect(accepted.slice(0, 20)).toEqual([]);
});
