import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { fixKep } from '../authoring/fix.js';
import { layoutOf } from '../repository/find-keps.js';
import { KepRepository } from '../repository/repository.js';
import { defaultConfig } from './config.js';

const corpus = process.env.SLIPWAY_KEP_CORPUS ?? '';
const ours = fileURLToPath(new URL('../../../../', import.meta.url));

describe('on proposals of Kubernetes', () => {
  beforeEach((context) => needs(context, 'proposals of Kubernetes'));

  const layout = layoutOf(corpus) ?? { root: corpus, keps: corpus };
  const repository = new KepRepository(layout, defaultConfig);

  test('every proposal gets through all rules, and its table of contents is current', () => {
    expect(repository.keps().length).toBeGreaterThan(200);
    const stale = repository.keps().filter((found) => {
      const kep = repository.load(found);
      return repository.check(repository.facts(kep), kep).some(({ rule }) => rule === 'KEP402');
    });
    expect(stale.map(({ directory }) => directory)).toEqual([]);
  }, 300_000);

  test('fixKep() twice is fixKep() once', () => {
    for (const found of repository.keps().filter((_, at) => at % 20 === 0)) {
      const kep = repository.load(found);
      const once = fixKep(repository, kep, { unsafe: false });
      const again = fixKep(repository, repository.withTexts(kep, once.texts), { unsafe: false });
      expect([found.directory, [...again.texts.keys()]]).toEqual([found.directory, []]);
    }
  }, 300_000);
});

test('our own proposals are complete for their stage', () => {
  const repository = new KepRepository(
    { root: ours, keps: `${ours}keps` },
    { ...defaultConfig, components: ['slipway-pulls', 'slipway-balloons'] },
  );
  expect(repository.keps().map(({ number }) => number)).toEqual(['3920', '3673', '5620']);
  const findings = repository.keps().flatMap((found) => {
    const kep = repository.load(found);
    return repository.check(repository.facts(kep), kep);
  });
  const errors = findings.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
  expect(new Set(findings.map(({ rule }) => rule))).toEqual(
    // The API of features has no gate.
    new Set(['KEP207', 'KEP520']),
  );
});
