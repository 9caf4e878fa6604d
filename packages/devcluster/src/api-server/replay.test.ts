import { expect, test } from 'vitest';
import { fixtureDefinitions, recordingsFolder, scenariosOf } from './replay/recording.js';
import { type Outcome, replay } from './replay/replay-scenario.js';
import { recordedServer } from './replay/subject.js';

// topic -> steps that answer as the real server did, at least
const floors: Readonly<Record<string, number>> = {
  discovery: 0, negotiation: 0, endpoints: 0, create: 0, update: 0, names: 0, errors: 0, fieldvalidation: 0, list: 0,
  pagination: 0, selectors: 0, watch: 0, patch: 0, delete: 0, subresources: 0, auth: 0, versions: 0, openapi: 0, crd: 0, crdschema: 0, ratcheting: 0, validation: 0,
};

const folder = recordingsFolder();

for (const [topic, floor] of Object.entries(floors)) {
  test(`createApiServer() answers as the recordings of ${topic} say`, async (ctx) => {
    if (!folder) return ctx.skip('needs the recordings');
    const fixtures = fixtureDefinitions(folder);
    const outcomes: Outcome[] = [];
    for (const scenario of scenariosOf(folder, topic)) {
      const wanted = scenario.fixtures.length > 0 ? scenario.fixtures : [...fixtures.keys()];
      using subject = await recordedServer(wanted.map((plural) => fixtures.get(plural)));
      outcomes.push(...(await replay(scenario, subject)));
    }
    const good = outcomes.filter(({ differences }) => differences.length === 0).length;
    if (process.env.SLIPWAY_REPLAY_REPORT) report(topic, outcomes);
    expect(good).toBeGreaterThanOrEqual(floor);
  });
}

function report(topic: string, outcomes: readonly Outcome[]): void {
  const good = outcomes.filter(({ differences }) => differences.length === 0).length;
  console.log(`${topic}: ${good} of ${outcomes.length}`);
  if (process.env.SLIPWAY_REPLAY_REPORT !== 'all') return;
  for (const { step, differences } of outcomes) if (differences.length) console.log(`  ${step.id} ${step.request.method} ${step.request.path.slice(-110)}\n    ${differences.slice(0, 4).join('\n    ')}`);
}
