import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One request that a real API server was sent, and what it answered. */
export interface Step {
  readonly id: string;
  readonly topic: string;
  readonly scenario: string;
  readonly step: number;
  readonly fixtures?: readonly string[];
  readonly note?: string;
  readonly as?: string;
  readonly stream?: { readonly openedAfterStep: number; readonly closedAfterStep: number };
  readonly continueTokens?: Readonly<Record<string, { v: string; rv: string; start: string }>>;
  readonly request: {
    readonly method?: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly bodyText?: string;
    readonly bodyBase64?: string;
    readonly bodyRepeat?: {
      readonly prefix: string;
      readonly unit: string;
      readonly count: number;
      readonly suffix: string;
    };
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly text?: string;
    readonly base64?: string;
    readonly frames?: readonly { readonly type: string; readonly object: unknown }[];
    readonly end?: 'client' | 'server';
    readonly error?: string;
  };
}

/** One command that kubectl ran against the real server. */
export interface KubectlStep {
  readonly id: string;
  readonly request: {
    readonly args: readonly string[];
    readonly stdin?: string;
    readonly env?: Readonly<Record<string, string>>;
  };
  readonly response: { readonly exit: number; readonly stdout: string; readonly stderr: string };
}

export interface Scenario {
  readonly name: string;
  readonly fixtures: readonly string[];
  readonly steps: readonly Step[];
}

const folder = fileURLToPath(new URL('../../../../../../testdata/api-server-recordings', import.meta.url));

/** The recorded server was a program of another name, and writes the status of definitions under that. */
const recorder = /"manager":\s*"realapi"/g;
const ours = '"manager":"kube-apiserver"';

/** The scenarios of a topic, in order. */
export function scenariosOf(topic: string): Scenario[] {
  const scenarios = new Map<string, Step[]>();
  for (const line of readFileSync(`${folder}/${topic}.jsonl`, 'utf8').split('\n')) {
    if (line === '') continue;
    const step = JSON.parse(line.replaceAll(recorder, ours)) as Step;
    scenarios.set(step.scenario, [...(scenarios.get(step.scenario) ?? []), step]);
  }
  return [...scenarios].map(([name, steps]) => ({ name, fixtures: steps[0]?.fixtures ?? [], steps }));
}

/** The definitions of the custom resources that scenarios work with, by plural. */
export function fixtureDefinitions(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const crds = JSON.parse(readFileSync(`${folder}/crds.json`, 'utf8')) as { spec: { names: { plural: string } } }[];
  return new Map(crds.map((crd) => [crd.spec.names.plural, crd]));
}
