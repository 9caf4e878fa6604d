import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@slipway/safe-yaml';
import type { Row } from './report.js';
import { readScenarios, type Scenario, ScenarioError } from './scenario.js';

/** All that is known about what a cluster must do. */
export interface Corpus {
  readonly rows: readonly Row[];
  readonly scenarios: readonly Scenario[];
}

/** Where devcluster does not do as Kubernetes does, and why. */
export interface KnownDifference {
  readonly scenario: string;
  readonly reason: string;
}

/** Reads `known-differences.yaml` of a folder. */
export function readKnownDifferences(folder: string): readonly KnownDifference[] {
  return parseYaml(readFileSync(join(folder, 'known-differences.yaml'), 'utf8')) as readonly KnownDifference[];
}

/** Reads `rows.yaml` and `scenarios/*.yaml` of a folder. @throws ScenarioError */
export function readCorpus(folder: string): Corpus {
  const rows = parseYaml(readFileSync(join(folder, 'rows.yaml'), 'utf8')) as readonly Row[];
  const files = readdirSync(join(folder, 'scenarios')).filter((file) => file.endsWith('.yaml'));
  const scenarios = files.sort().flatMap((file) => {
    const path = join('scenarios', file);
    return readScenarios(readFileSync(join(folder, path), 'utf8'), path);
  });
  const ids = scenarios.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new ScenarioError(`two scenarios are called ${twice}`);
  return { rows, scenarios };
}

/** Those of a row or with an id; all when nothing is asked for. @throws ScenarioError for a name that is neither */
export function chosen({ rows, scenarios }: Corpus, names: readonly string[]): Corpus {
  if (names.length === 0) return { rows, scenarios };
  for (const name of names) {
    if (rows.some(({ id }) => id === name) || scenarios.some(({ id }) => id === name)) continue;
    throw new ScenarioError(`no row and no scenario is called ${name}`);
  }
  const picked = scenarios.filter(({ id, rows }) => names.includes(id) || rows.some((row) => names.includes(row)));
  const touched = new Set(picked.flatMap((scenario) => scenario.rows));
  return { rows: rows.filter(({ id }) => touched.has(id)), scenarios: picked };
}
