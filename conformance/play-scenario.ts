import { differences } from './differences.js';
import type { Answer, Runner } from './runners/runner.js';
import { kindOf, objectKinds, type Scenario, type Step } from './scenario.js';

/** What one runner found when it played one scenario. */
export interface Finding {
  readonly scenario: string;
  readonly rows: readonly string[];
  readonly runner: string;
  readonly outcome: 'held' | 'differs' | 'not supported';
  /** What the cluster lacks, or what differed in which step, one line each. */
  readonly notes: readonly string[];
}

/** What a scenario is played against, beside the program that plays it. */
export interface Stage {
  /** Sends a request as it stands in the scenario, whichever runner plays. */
  readonly send: (step: Step) => Promise<Answer>;
  /** What of `needs` the cluster does not have. */
  readonly lacks: (needs: readonly string[]) => Promise<readonly string[]>;
  readonly openNamespace: (name: string) => Promise<void>;
  readonly closeNamespace: (name: string) => Promise<void>;
  /** An image that nodes can pull. */
  readonly image: string;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Whether the runner can do all of it. Requests that are sent as they are need none of its words. */
export function canPlay(runner: Runner, { steps, cleanup = [] }: Scenario): boolean {
  const can = (step: Step): boolean => {
    const kind = kindOf(step);
    if (kind === 'wait') return step.wait?.every(can) ?? true;
    if (kind === 'parallel') return step.parallel?.flat().every(can) ?? true;
    return kind === 'api' || runner.can(kind, step);
  };
  return [...steps, ...cleanup].every(can);
}

/** Whether it matters who plays: a scenario of plain requests is played once. */
export function needsRunner(scenario: Scenario): boolean {
  const matters = (step: Step): boolean => {
    const kind = kindOf(step);
    const inside = [...(step.wait ?? []), ...(step.parallel?.flat() ?? [])];
    return kind === 'kubectl' || kind === 'watch' || objectKinds.has(kind) || inside.some(matters);
  };
  return scenario.steps.some(matters);
}

/** Plays a scenario to its end or to the first step that differs, in a namespace of its own. */
export async function play(scenario: Scenario, runner: Runner, stage: Stage, namespace: string): Promise<Finding> {
  const { id, rows, needs = [], steps, cleanup = [] } = scenario;
  const found = { scenario: id, rows, runner: runner.name };
  const missing = await stage.lacks(needs);
  if (missing.length > 0) return { ...found, outcome: 'not supported', notes: missing.map((what) => `no ${what}`) };
  const player = newPlayer(runner, stage, namespace);
  await stage.openNamespace(namespace);
  try {
    await player.all(steps);
    return { ...found, outcome: 'held', notes: [] };
  } catch (error) {
    if (!(error instanceof StepDiffers)) throw error;
    return { ...found, outcome: 'differs', notes: error.lines };
  } finally {
    for (const step of cleanup) await player.all([step]).catch(() => {});
    await stage.closeNamespace(namespace);
  }
}

class StepDiffers extends Error {
  override readonly name = 'StepDiffers';
  readonly lines: readonly string[];

  constructor(where: string, found: readonly string[]) {
    super(where);
    this.lines = found.map((line) => `${where}: ${line}`);
  }
}

function newPlayer(runner: Runner, stage: Stage, namespace: string) {
  const values: Record<string, string> = { ns: namespace, image: stage.image };

  const all = async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) await one(step);
  };

  const one = async (step: Step): Promise<void> => {
    if (step.wait) return await until(step.wait, step.within ?? 30);
    if (step.parallel) {
      await Promise.all(step.parallel.map(all));
      return;
    }
    const filled = fillIn(step, values) as Step;
    const answer = filled.api === undefined ? await runner.run(filled, namespace) : await stage.send(filled);
    const found = filled.expect ? differences(filled.expect, answer) : failures(answer);
    if (found.length > 0) throw new StepDiffers(nameOf(filled), found);
    for (const [name, path] of Object.entries(step.save ?? {})) values[name] = valueAt(answer, path);
  };

  const until = async (steps: readonly Step[], withinSeconds: number): Promise<void> => {
    const giveUpMs = stage.now() + withinSeconds * 1_000;
    for (;;) {
      try {
        return await all(steps);
      } catch (error) {
        if (!(error instanceof StepDiffers) || stage.now() >= giveUpMs) throw error;
        await stage.sleep(200);
      }
    }
  };
  return { all };
}

/** A step without an expectation only sets the stage, and must go well. */
function failures({ exit = 0, stderr = '', code = 200, body, refused }: Answer): readonly string[] {
  if (exit !== 0) return [`exit ${exit}: ${stderr.trim()}`];
  if (code >= 400) return [`code ${code}: ${JSON.stringify(body)}`];
  return refused ? [`refused: ${refused.reason}: ${refused.message}`] : [];
}

function nameOf(step: Step): string {
  const kind = kindOf(step);
  const what = step[kind];
  if (typeof what === 'string') return kind === 'kubectl' ? `kubectl ${what}` : what;
  const { kind: objectKind = '', metadata } = what as { kind?: string; metadata?: { name?: string } };
  return `${kind} ${objectKind} ${metadata?.name ?? ''}`.trimEnd();
}

/** Puts values for `${name}` into all texts; names without a value stay as they are. */
export function fillIn(value: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w+)\}/g, (all, name) => values[name] ?? all);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, values)]));
}

/** The value at `metadata.resourceVersion` of the object, or at a path that names the part of the answer first. */
function valueAt(answer: Answer, path: string): string {
  const parts = answer as Readonly<Record<string, unknown>>;
  const keys = path.split('.');
  let value: unknown = keys[0] !== undefined && keys[0] in parts ? parts : (answer.object ?? answer.body);
  for (const key of keys) value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'string' ? value.trim() : JSON.stringify(value ?? '');
}
