import { parseYaml, YamlError } from '@slipway/safe-yaml';

/** One story that a cluster is asked to play, in a namespace of its own. */
export interface Scenario {
  /** Unique among all scenarios: `pagination-is-a-snapshot`. */
  readonly id: string;
  /** Ids of the rows it speaks for, as in `rows.yaml`. */
  readonly rows: readonly string[];
  /** What a cluster must serve for it: `nodes`, or resources as `poddisruptionbudgets.policy`. */
  readonly needs?: readonly string[];
  readonly steps: readonly Step[];
  /** Run at the end in every case, for what does not go with the namespace; failures are passed over. */
  readonly cleanup?: readonly Step[];
}

/**
 * One thing to do, named by the one key of `StepKinds` it has. Texts may name `${ns}`, `${image}` and whatever
 * an earlier step saved.
 */
export interface Step extends Partial<StepKinds> {
  /** What kubectl reads from its standard input: a text, or objects. */
  readonly stdin?: string | readonly object[];
  /** Requests as `api` sends them: a JSON value, or a text that goes out as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly anonymous?: boolean;
  readonly manager?: string;
  readonly force?: boolean;
  readonly type?: PatchType;
  readonly patch?: unknown;
  readonly labelSelector?: string;
  /** How many events a watch waits for; without it, until the server ends the stream. */
  readonly events?: number;
  /** Seconds that `wait` may take; 30 when absent. */
  readonly within?: number;
  /** Names for values of the answer, by their path: `rv: metadata.resourceVersion`. */
  readonly save?: Readonly<Record<string, string>>;
  readonly expect?: Expectation;
}

export type PatchType = 'merge' | 'json' | 'strategic';

interface StepKinds {
  /** Arguments of kubectl, split at spaces unless quoted. */
  readonly kubectl: string;
  /** Method and path of a request, sent as it is. */
  readonly api: string;
  readonly create: TestObject;
  readonly read: TestObject;
  readonly list: KindName;
  readonly replace: TestObject;
  /** The object to be patched; the patch is beside it. */
  readonly change: TestObject;
  /** Server-side apply. */
  readonly apply: TestObject;
  readonly remove: TestObject;
  /** Path and query of a watch. */
  readonly watch: string;
  /** Repeated until its steps hold. */
  readonly wait: readonly Step[];
  /** Side by side; each list in its order. */
  readonly parallel: readonly (readonly Step[])[];
}

export type StepKind = keyof StepKinds;

export interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface TestObject extends KindName {
  readonly metadata: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** What an answer must look like, and who says so. */
export interface Expectation {
  /** Where it is written that Kubernetes does this. */
  readonly source: string;
  /** The recording of a real API server that shows it; without one the expectation is unverified. */
  readonly compared?: string;
  readonly exit?: number;
  readonly stdout?: TextPattern;
  readonly stderr?: TextPattern;
  /** How many requests kubectl sends. */
  readonly requests?: number;
  readonly code?: number;
  readonly headers?: unknown;
  /** Part of the body, or of the object. */
  readonly body?: unknown;
  readonly object?: unknown;
  readonly refused?: { readonly reason: string; readonly message?: string };
  /** Events of a watch, in order. */
  readonly events?: readonly unknown[];
}

/** What a text must be: exactly, having all of these in it, matching, or JSON with at least this in it. */
export type TextPattern =
  | string
  | { readonly contains: string | readonly string[] }
  | { readonly matches: string }
  | { readonly json: unknown };

/** What is done with objects: each client has its own words for it. */
export const objectKinds: ReadonlySet<StepKind> = new Set([
  'create',
  'read',
  'list',
  'replace',
  'change',
  'apply',
  'remove',
]);

const stepKinds: readonly StepKind[] = ['kubectl', 'api', ...objectKinds, 'watch', 'wait', 'parallel'];

/** Which of the things to do a step does. */
export function kindOf(step: Step): StepKind {
  const named = stepKinds.filter((kind) => step[kind] !== undefined);
  const [kind] = named;
  if (!kind || named.length > 1) throw new RangeError(`a step must be one of ${stepKinds.join(', ')}`);
  return kind;
}

/** All steps of a list, those inside others included. */
export function allSteps(steps: readonly Step[]): readonly Step[] {
  return steps.flatMap((step) => [step, ...allSteps(step.wait ?? []), ...(step.parallel ?? []).flatMap(allSteps)]);
}

/** A scenario file that cannot be used: what, where, and what to do. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Reads one scenario file. @throws ScenarioError */
export function readScenarios(text: string, file: string): readonly Scenario[] {
  let scenarios: readonly Scenario[];
  try {
    scenarios = parseYaml(text) as readonly Scenario[];
  } catch (error) {
    if (error instanceof YamlError) throw new ScenarioError(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
  if (!Array.isArray(scenarios)) throw new ScenarioError(`${file}: a list of scenarios is needed`);
  for (const scenario of scenarios) checkScenario(scenario, file);
  return scenarios;
}

function checkScenario(scenario: Scenario, file: string): void {
  const { id, rows, steps, cleanup = [] } = scenario;
  if (!id || !rows?.length || !steps?.length) {
    throw new ScenarioError(`${file}: scenario ${id ?? '?'} needs id, rows and steps`);
  }
  for (const step of allSteps([...steps, ...cleanup])) {
    try {
      kindOf(step);
    } catch (error) {
      throw new ScenarioError(`${file}: ${id}: ${(error as Error).message}`, { cause: error });
    }
    if (step.expect && !step.expect.source) throw new ScenarioError(`${file}: ${id}: an expectation names no source`);
  }
}
