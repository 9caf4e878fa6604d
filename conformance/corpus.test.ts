import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chosen, readCorpus, readKnownDifferences } from './corpus.js';
import { allSteps, readScenarios } from './scenario.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const recordings = fileURLToPath(new URL('../testdata/api-server-recordings', import.meta.url));
const corpus = readCorpus(folder);

test('every behaviour has a scenario, and every scenario speaks for one', () => {
  const ids = corpus.rows.map(({ id }) => id);
  const must = Array.from({ length: 33 }, (_, index) => `M${index + 1}`);
  const should = Array.from({ length: 12 }, (_, index) => `S${index + 1}`);
  expect(ids).toEqual([...must, ...should]);
  const spokenFor = new Set(corpus.scenarios.flatMap(({ rows }) => rows));
  expect(ids.filter((id) => !spokenFor.has(id))).toEqual([]);
  expect([...spokenFor].filter((id) => !ids.includes(id))).toEqual([]);
});

test('every scenario expects something, and every expectation names its source', () => {
  for (const { id, steps } of corpus.scenarios) {
    const expectations = allSteps(steps).flatMap(({ expect }) => expect ?? []);
    expect(expectations, id).not.toEqual([]);
    for (const { source } of expectations) expect(source, id).toMatch(/\w{4}/);
  }
});

test('what is called compared names a recording of a real API server', () => {
  const recorded = new Set(
    readdirSync(recordings)
      .filter((file) => file.endsWith('.jsonl'))
      .flatMap((file) => readFileSync(`${recordings}/${file}`, 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line).scenario),
  );
  const named = corpus.scenarios
    .flatMap(({ steps }) => allSteps(steps))
    .flatMap(({ expect }) => expect?.compared ?? []);
  expect(named.filter((name) => !recorded.has(name))).toEqual([]);
});

test('known differences are of scenarios there are', () => {
  const ids = corpus.scenarios.map(({ id }) => id);
  expect(readKnownDifferences(folder).filter(({ scenario }) => !ids.includes(scenario))).toEqual([]);
});

test('chosen() takes rows and scenarios by name, and refuses what is neither', () => {
  expect(chosen(corpus, ['M13']).scenarios.map(({ id }) => id)).toEqual([
    'list-as-a-watch',
    'list-of-nothing-as-a-watch',
  ]);
  expect(chosen(corpus, ['get-watches']).rows.map(({ id }) => id)).toEqual(['M7', 'M11']);
  expect(() => chosen(corpus, ['M99'])).toThrow('no row and no scenario is called M99');
});

// file | what is wrong with it
const bad: [string, string][] = [
  ['a: 1', 'f.yaml: a list of scenarios is needed'],
  ['- { id: x, rows: [M1] }', 'f.yaml: scenario x needs id, rows and steps'],
  ['- { id: x, rows: [M1], steps: [{ stdin: a }] }', 'f.yaml: x: a step must be one of kubectl, api'],
  ['- { id: x, rows: [M1], steps: [{ api: GET /, watch: / }] }', 'f.yaml: x: a step must be one of kubectl, api'],
  ['- { id: x, rows: [M1], steps: [{ api: GET /, expect: { code: 1 } }] }', 'x: an expectation names no source'],
  ['- [', 'f.yaml: '],
];

test.each(bad)('readScenarios() says what is wrong with %s', (text, message) => {
  expect(() => readScenarios(text, 'f.yaml')).toThrow(message);
});
