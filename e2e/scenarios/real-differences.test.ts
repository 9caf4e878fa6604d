import { writeFileSync } from 'node:fs';
import { defaultVersion } from '@slipway/devcluster/versions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { expressionScenario } from '../support/differential/cel-scenarios.js';
import { documentScenario } from '../support/differential/documents.js';
import {
  classOf,
  describeDifference,
  type Findings,
  findDifferences,
  playAtOnce,
} from '../support/differential/find-differences.js';
import { ourApiServer } from '../support/differential/our-api-server.js';
import { partScenario } from '../support/differential/parts.js';
import { policyScenario } from '../support/differential/policies.js';
import { realApiServer } from '../support/differential/real-api-server.js';
import { ruleScenario } from '../support/differential/rule-scenarios.js';
import type { Scenario } from '../support/differential/scenarios.js';
import { kindsOf } from '../support/differential/sent-kinds.js';
import { watchScenario } from '../support/differential/watches.js';

/** Scenarios, of one to five steps; `SLIPWAY_DIFFERENTIAL_RUNS=50000` takes an hour. */
const scenarios = Number(process.env.SLIPWAY_DIFFERENTIAL_RUNS ?? 1_000);
/** What agreed with the usual seed, with the default version and with those before; a difference that is cured raises it. */
const floors = {
  generated: [0.98, 0.96],
  watches: [0.98, 0.97],
  documents: [0.95, 0.83],
  expressions: [0.99, 0.98],
  rules: [0.99, 0.98],
  parts: [0.98, 0.96],
  policies: [0.98, 0.97],
} as const;

/** Groups of scenarios with a grammar of their own, and how many of them there are to a thousand of the others. */
const grammars = {
  watches: [() => watchScenario, 100],
  documents: [() => documentScenario, 100],
  expressions: [() => expressionScenario, 100],
  rules: [() => ruleScenario, 100],
  parts: [() => partScenario, 200],
  // Kubernetes needs flags for mutating policies before 1.36.
  policies: [
    (version: string) => policyScenario(version === '1.35' ? ['Validating'] : ['Validating', 'Mutating']),
    100,
  ],
} as const;

// Generated requests, to a real API server and to that of devcluster; `SLIPWAY_DIFFERENTIAL_REPORT=FILE` keeps all that differs.
describe('devcluster answers as Kubernetes does', () => {
  test('generated requests', { timeout: 0 }, async (context) => {
    needs(context, 'real Kubernetes');
    await using real = await realApiServer(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
    using ours = ourApiServer(real.version);
    const only = process.env.SLIPWAY_DIFFERENTIAL_KINDS?.split(',');
    const findings = await findDifferences({
      servers: { real: real.send, ours: ours.send },
      kinds: kindsOf(real.version).filter(({ object }) => only?.includes(String(object.kind)) ?? true),
      scenarios,
      customWeight: only ? (only.includes('Custom') ? 1 : 0) : 8,
      seed: Number(process.env.SLIPWAY_SEED),
      maxShrunk: Number(process.env.SLIPWAY_DIFFERENTIAL_SHRUNK ?? 5),
    });
    judge(findings, floorOf('generated', real.version), process.env.SLIPWAY_DIFFERENTIAL_REPORT);
  });

  test.for(Object.entries(grammars))('generated %s', { timeout: 0 }, async ([name, [grammar, count]], context) => {
    needs(context, 'real Kubernetes');
    await using real = await realApiServer(process.env.SLIPWAY_REAL_KUBERNETES ?? '');
    using ours = ourApiServer(real.version);
    const sample = fc.sample<Scenario>(grammar(real.version), {
      numRuns: Math.ceil((count * scenarios) / 1_000),
      seed: Number(process.env.SLIPWAY_SEED),
    });
    const findings = await playAtOnce(sample, { real: real.send, ours: ours.send }, name[0] ?? 's');
    const report = process.env.SLIPWAY_DIFFERENTIAL_REPORT;
    judge(findings, floorOf(name as keyof typeof floors, real.version), report && `${report}.${name}`);
  });
});

function floorOf(name: keyof typeof floors, version: string): number {
  const [newest, before] = floors[name];
  return version === defaultVersion ? newest : before;
}

/** Prints an example of each class of differences, and fails when there are more than before. */
function judge({ agreed, differences }: Findings, floor: number, report: string | undefined): void {
  if (report) writeFileSync(report, JSON.stringify(differences));
  const classes = new Map(differences.map((difference) => [classOf(difference), difference]));
  for (const difference of [...classes.values()].slice(0, 10)) console.log(describeDifference(difference));
  const steps = agreed + differences.length;
  console.log(`${agreed} of ${steps} steps agree, seed ${process.env.SLIPWAY_SEED}`);
  expect(agreed / steps).toBeGreaterThan(floor);
}
