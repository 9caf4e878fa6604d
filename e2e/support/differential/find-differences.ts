import fc from 'fast-check';
import { customScenarioOf } from './custom-kinds.js';
import type { Difference, Send } from './exchange.js';
import { type Outcome, play } from './play.js';
import { readSchemas } from './read-schemas.js';
import { type Scenario, scenarioOf } from './scenarios.js';
import type { SentKind } from './sent-kinds.js';

/** What came of many scenarios. A scenario ends with its first difference. */
export interface Findings {
  readonly agreed: number;
  readonly differences: readonly Difference[];
}

export interface Search {
  readonly servers: { readonly real: Send; readonly ours: Send };
  readonly kinds: readonly SentKind[];
  readonly scenarios: number;
  /** How many scenarios of custom kinds there are for one of each other kind. */
  readonly customWeight: number;
  /** Each scenario draws from one of its own; those of two searches have none in common. */
  readonly seed: number;
  /** Differences of that many classes are shrunk; shrinking takes seconds each. */
  readonly maxShrunk: number;
}

/** Plays generated scenarios on both servers. */
export async function findDifferences(search: Search): Promise<Findings> {
  const { servers, seed, scenarios } = search;
  const kinds = await Promise.all(
    search.kinds.map(async (sent) => {
      const { schema, schemas } = await readSchemas(servers.real, sent);
      return scenarioOf(sent, schema, schemas);
    }),
  );
  const custom = await readSchemas(servers.real, {
    collection: '',
    object: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  });
  const any = fc.oneof(...kinds.map((arbitrary) => ({ weight: 1, arbitrary })), {
    weight: search.customWeight,
    arbitrary: customScenarioOf(custom.schema, custom.schemas),
  });
  const found = new Map<string, Difference[]>();
  let agreed = 0;
  let namespaces = 0;
  const check = async (of: number, isShrinking: boolean): Promise<Outcome> => {
    let outcome: Outcome = { agreed: 0 };
    const property = fc.asyncProperty(any, async (scenario: Scenario) => {
      const played = await play(scenario, `d${namespaces++}`, servers);
      // The last scenario that failed is the smallest.
      if (played.difference || !outcome.difference) outcome = played;
      return !played.difference;
    });
    await fc.check(property, { seed: of, numRuns: 1, endOnFailure: !isShrinking, interruptAfterTimeLimit: 5_000 });
    return outcome;
  };
  for (let at = 0; at < scenarios; at++) {
    // The golden ratio as a fraction of 2^32 keeps the scenarios of neighbouring seeds apart.
    const of = (Math.imul(seed, 0x9e3779b1) + at) | 0;
    const outcome = await check(of, false);
    agreed += outcome.agreed;
    const { difference } = outcome;
    if (!difference) continue;
    const like = found.get(classOf(difference)) ?? [];
    const isNew = like.length === 0 && found.size < search.maxShrunk;
    like.push((isNew && (await check(of, true)).difference) || difference);
    found.set(classOf(difference), like);
  }
  const mostFirst = [...found.values()].sort((one, two) => two.length - one.length);
  return { agreed, differences: mostFirst.flat() };
}

/** Plays scenarios that wait more than they work, some of them at once, without shrinking what differs. */
export async function playAtOnce(
  scenarios: readonly Scenario[],
  servers: Search['servers'],
  namespace: string,
): Promise<Findings> {
  let agreed = 0;
  const found: Difference[] = [];
  for (let at = 0; at < scenarios.length; at += maxAtOnce) {
    const some = scenarios.slice(at, at + maxAtOnce);
    const outcomes = await Promise.all(
      some.map((scenario, index) => play(scenario, `${namespace}${at + index}`, servers)),
    );
    for (const outcome of outcomes) {
      agreed += outcome.agreed;
      if (outcome.difference) found.push(outcome.difference);
    }
  }
  return { agreed, differences: found };
}

const maxAtOnce = 25;

/** Differences that are likely to have the same cause. */
export function classOf({ step, lines }: Difference): string {
  const [first = ''] = lines;
  return `${step.method} ${step.contentType ?? ''} ${first.replaceAll(/"[^"]*"/g, '""').slice(0, 100)}`;
}

/** The request and both answers, for a person. */
export function describeDifference({ step, lines }: Difference): string {
  const { method, path, contentType = '', accept = '', body = '' } = step;
  return [
    `${method} ${path} ${contentType} ${accept && `accept ${accept}`}`,
    `  ${body}`,
    ...lines.map((line) => `    ${line}`),
  ].join('\n');
}
