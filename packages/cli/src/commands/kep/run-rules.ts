import type {
  Baseline,
  CheckedKep,
  Finding,
  FoundKep,
  KepFacts,
  KepRepository,
  LoadedKep,
  ResultCache,
} from '@slipway/kep';
import { optimiseNoMore, pauseMarking, resumeMarking } from '../../runtime/short-run.js';
import type { Terminal } from '../../runtime/terminal.js';

/** One proposal to hold to the rules. `before` is its README at the commit that changes are counted from. */
export interface Target {
  /** Where it is, when it is read from there as it is. */
  readonly found?: FoundKep;
  readonly kep: () => LoadedKep;
  readonly before?: () => Promise<string | undefined>;
}

/** What a run over proposals found. */
export interface RulesRun {
  /** In the order of the targets. */
  readonly results: readonly CheckedKep[];
  /** The findings with their context, for a baseline; empty unless requested, because they are large. */
  readonly known: readonly { readonly finding: Finding; readonly facts: KepFacts }[];
  /** Number of targets. */
  readonly checked: number;
  /** How far each proposal is meant to be: `target beta, v1.37`. */
  readonly aims: ReadonlyMap<string, string>;
}

/** After so many proposals all code that takes long was optimised. */
const optimisedAfter = 150;

/** A run that has to check so many proposals goes on for longer. */
const longAfter = 8;

/** A proposal of a checkout as a target. */
export function targetOf(repository: KepRepository, found: FoundKep): Target {
  return { found, kep: () => repository.load(found) };
}

/** Yields the proposals, then the files that belong to none of them, which are known only by then. */
export function* allTargets(repository: KepRepository, keps: readonly FoundKep[]): Generator<Target> {
  for (const found of keps) yield targetOf(repository, found);
  for (const found of repository.orphans()) yield targetOf(repository, found);
}

/** Holds proposals to the rules one after the other; `signal` ends it between two of them. */
export async function runRules(
  repository: KepRepository,
  targets: Iterable<Target>,
  options: {
    readonly stage: string | undefined;
    readonly baseline: Baseline | undefined;
    readonly keepFacts: boolean;
    readonly cache: ResultCache | undefined;
    readonly signal: AbortSignal;
    readonly progress: (done: number) => void;
  },
): Promise<RulesRun> {
  const results: CheckedKep[] = [];
  const known: { finding: Finding; facts: KepFacts }[] = [];
  const aims = new Map<string, string>();
  let checked = 0;
  let judged = 0;
  if (options.cache) pauseMarking();
  for (const target of targets) {
    options.progress(checked++);
    options.signal.throwIfAborted();
    const before = await target.before?.();
    const check = () => {
      if (++judged === longAfter) resumeMarking();
      if (judged === optimisedAfter) optimiseNoMore();
      const kep = target.kep();
      const facts = repository.facts(kep, options.stage, before);
      const found = repository.check(facts, kep, options.baseline);
      if (options.keepFacts) known.push(...found.map((finding) => ({ finding, facts })));
      const aim = aimOf(facts);
      return { directory: kep.found.directory, findings: found, aim, approvalPath: kep.approvalPath };
    };
    const result = target.found && options.cache ? options.cache.result(target.found, check) : check();
    results.push(result);
    aims.set(result.directory, result.aim);
  }
  options.cache?.save();
  return { results, known, checked, aims };
}

/** How far a proposal is meant to be: `target beta, v1.37`, or `eip, target Review`. */
function aimOf({ declared, stage, milestone }: KepFacts): string {
  const target = stage === '' ? [] : [`target ${stage}`];
  return [...(declared ? [declared.kind.name] : []), ...target, ...(milestone ? [`v1.${milestone}`] : [])].join(', ');
}

/** Shows how far a run is, on a terminal and only when it takes longer than a second. Call with no number at the end. */
export function progressLine(terminal: Terminal, total: number, now: () => number): (done?: number) => void {
  const startedAt = now();
  let shownAt = startedAt;
  return (done) => {
    if (done === undefined) {
      if (shownAt !== startedAt) terminal.draw('stderr', '\r\u001b[K');
      return;
    }
    if (now() - shownAt < 200 || now() - startedAt < 1_000) return;
    shownAt = now();
    const width = 30;
    const filled = Math.round((done / total) * width);
    terminal.draw('stderr', `\r[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${done} of ${total} KEPs`);
  };
}
