import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { KubeObject } from '../transport/objects.js';
import { parseFieldSelector } from './field-selector.js';
import { matchesLabels } from './label-requirement.js';
import { parseLabelSelector } from './parse-label-selector.js';
import { SelectorError } from './selector-error.js';

/** Answers of a real API server. */
const recording = new URL('../../../../testdata/api-server-recordings/selectors.jsonl', import.meta.url);

interface Step {
  readonly id: string;
  readonly scenario: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: KubeObject };
  readonly response: { readonly status: number; readonly body: unknown };
}

const steps: readonly Step[] = readFileSync(recording, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

function asked(step: Step, parameter: string): string | undefined {
  const query = new URLSearchParams(step.request.path.split('?')[1]);
  const isPlainList = step.request.method === 'GET' && !query.has('watch') && /\/gadgets\?/.test(step.request.path);
  return isPlainList && [...query.keys()].length === 1 ? (query.get(parameter) ?? undefined) : undefined;
}

test('parseLabelSelector() selects, or refuses in the same words, as a recorded API server did', () => {
  const selecting = steps.filter((step) => asked(step, 'labelSelector') !== undefined);
  expect(selecting.length).toBeGreaterThan(30);
  for (const step of selecting) {
    const text = asked(step, 'labelSelector') ?? '';
    const objects = steps
      .filter(({ scenario, request }) => scenario === step.scenario && request.method === 'POST')
      .map(({ request }) => request.body);
    expect([step.id, text, outcome(text, objects)]).toEqual([step.id, text, recordedOutcome(step)]);
  }
});

test('parseFieldSelector() refuses in the same words as a recorded API server did', () => {
  const refused = steps.filter((step) => asked(step, 'fieldSelector') !== undefined && step.response.status === 400);
  for (const step of refused) {
    const { message } = step.response.body as { message: string };
    // Which fields can be selected is not a question of grammar.
    if (/field label not supported|is not a known field selector/.test(message)) continue;
    expect(() => parseFieldSelector(asked(step, 'fieldSelector') ?? '')).toThrow(new SelectorError(message));
  }
});

function outcome(text: string, objects: readonly (KubeObject | undefined)[]): unknown {
  try {
    const requirements = parseLabelSelector(text);
    const selected = objects.filter((object) => matchesLabels(requirements, object?.metadata.labels));
    return selected.map((object) => object?.metadata.name);
  } catch (error) {
    return (error as Error).message;
  }
}

function recordedOutcome({ response }: Step): unknown {
  return response.status === 200 ? response.body : (response.body as { message: string }).message;
}
