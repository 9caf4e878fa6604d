import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { fixtureDefinitions, recordingsFolder, scenariosOf } from '../api-server/replay/recording.js';
import { type Outcome, replay } from '../api-server/replay/replay-scenario.js';
import { createApiServer } from '../api-server/server.js';
import { DefinitionRegistry } from '../registry/definition-registry.js';
import { memoryStore } from '../storage/memory-store.js';
import { customResourceDefinitions } from './definition-kind.js';
import { definitionController } from './establish.js';

const folder = recordingsFolder();

// topic -> how many of its steps are answered as the real server did
const floors: [string, number][] = [
  ['crd', 71],
  ['crdschema', 88],
  ['validation', 142],
  ['fieldvalidation', 36],
  ['ratcheting', 81],
  ['create', 65],
  ['versions', 17],
  ['celcompile', 73],
  ['celrun', 64],
  ['celvalues', 47],
];

async function replayTopic(topic: string): Promise<Outcome[]> {
  const fixtures = fixtureDefinitions(folder ?? '');
  const outcomes: Outcome[] = [];
  for (const scenario of scenariosOf(folder ?? '', topic)) {
    const clock = new ManualClock();
    const store = memoryStore({ clock });
    const definitions = new DefinitionRegistry([customResourceDefinitions]);
    using _controller = definitionController({ store, registry: definitions, clock });
    const api = createApiServer({ store, definitions, clock, version: '1.36.4' });
    const wanted = scenario.fixtures.length > 0 ? scenario.fixtures : [...fixtures.keys()];
    for (const plural of wanted) {
      const answer = await api.handle({
        method: 'POST',
        path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        headers: {},
        user: { name: 'admin', groups: [] },
        body: { bytes: Buffer.from(JSON.stringify(fixtures.get(plural))) },
      });
      if (answer.status !== 201) throw new Error(`fixture ${plural}: ${JSON.stringify(answer.payload)}`);
    }
    outcomes.push(...(await replay(scenario, { api, clock })));
  }
  return outcomes.map(asFarAsRecorded);
}

/** Of some answers the recordings keep only the part that a step is about. */
function asFarAsRecorded(outcome: Outcome): Outcome {
  const body = outcome.step.response.body as { apiVersion?: string } | undefined;
  if (body?.apiVersion !== undefined) return outcome;
  return { ...outcome, differences: outcome.differences.filter((line) => !/^body\.\S+: unexpected/.test(line)) };
}

for (const [topic, floor] of floors) {
  test(`custom resources answer as the recordings of ${topic} say`, async (ctx) => {
    if (!folder) return ctx.skip('needs the recordings');
    const outcomes = await replayTopic(topic);
    const wrong = outcomes.filter(({ differences }) => differences.length > 0);
    if (process.env.SLIPWAY_REPLAY_REPORT) {
      const lines = wrong.map(({ step, differences }) => `${step.id}\n    ${differences.slice(0, 4).join('\n    ')}`);
      console.log(`${topic}: ${outcomes.length - wrong.length} of ${outcomes.length}\n${lines.join('\n')}`);
    }
    expect(outcomes.length - wrong.length).toBeGreaterThanOrEqual(floor);
  });
}
