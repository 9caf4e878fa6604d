import { expect, test } from 'vitest';
import { knownDifferences } from './testing/replay/known-differences.js';
import { fixtureDefinitions, scenariosOf } from './testing/replay/recording.js';
import { type Outcome, replay } from './testing/replay/replay-scenario.js';
import { recordedServer } from './testing/replay/subject.js';

const known = new Map(knownDifferences.flatMap((difference) => difference.steps.map((id) => [id, difference])));

// topic | steps
const topics: [string, number][] = [
  ['apply', 130],
  ['auth', 10],
  ['celcompile', 74],
  ['celrun', 67],
  ['celvalues', 48],
  ['crd', 85],
  ['crdschema', 89],
  ['create', 68],
  ['delete', 69],
  ['discovery', 31],
  ['endpoints', 53],
  ['errors', 10],
  ['fieldvalidation', 40],
  ['list', 89],
  ['names', 45],
  ['negotiation', 129],
  ['openapi', 14],
  ['pagination', 29],
  ['patch', 150],
  ['ratcheting', 81],
  ['selectors', 153],
  ['subresources', 51],
  ['update', 44],
  ['validation', 145],
  ['versions', 22],
  ['watch', 88],
];

test.each(topics)(
  'createApiServer() answers as a real API server did: %s',
  { timeout: 60_000 },
  async (topic, steps) => {
    const outcomes = await replayTopic(topic);
    expect(outcomes.flatMap(unexpected)).toEqual([]);
    expect(outcomes).toHaveLength(steps);
  },
);

/** What differs beyond what is known to, and what is known to differ and does not. */
function unexpected({ step: { id }, differences }: Outcome): string[] {
  const { only = /^/ } = known.get(id) ?? { only: /^\b$/ };
  if (known.has(id) && differences.length === 0) return [`${id} agrees: take it from the known differences`];
  return differences.filter((difference) => !only.test(difference)).map((difference) => `${id} ${difference}`);
}

/** Replays every scenario of a topic; `SLIPWAY_REPLAY_REPORT=1` prints the differences. */
async function replayTopic(topic: string): Promise<Outcome[]> {
  const fixtures = fixtureDefinitions();
  const outcomes: Outcome[] = [];
  for (const scenario of scenariosOf(topic)) {
    const wanted = scenario.fixtures.length > 0 ? scenario.fixtures : [...fixtures.keys()];
    using subject = await recordedServer(wanted.map((plural) => fixtures.get(plural)));
    outcomes.push(...(await replay(scenario, subject)));
  }
  if (process.env.SLIPWAY_REPLAY_REPORT === '1') console.log(report(topic, outcomes));
  return outcomes;
}

function report(topic: string, outcomes: readonly Outcome[]): string {
  const different = outcomes.filter(({ differences }) => differences.length > 0);
  const lines = different.map(({ step, differences }) => {
    const { id, request } = step;
    return `  ${id}${known.has(id) ? ' (known)' : ''} ${request.method} ${request.path}\n    ${differences.slice(0, 4).join('\n    ')}`;
  });
  return [`${topic}: ${outcomes.length - different.length} of ${outcomes.length}`, ...lines].join('\n');
}
