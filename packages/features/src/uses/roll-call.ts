import { queriedGates } from '@slipway/feature-gates';
import type { GateValue } from '../api/feature-vector.js';
import type { SampleCause } from '../api/uses-status.js';
import { isConfirmed, isCurrent, type ProcessReport, type Round, type Statement } from './process-report.js';
import type { ExpectedProcess, Roster } from './roster.js';

/** Who of a component has answered in a round, before it is asked about any gate. One roll call serves all gates. */
export interface RollCall {
  readonly component: string;
  readonly required: boolean;
  /** Processes older than this need not know a gate. */
  readonly minVersion?: string | undefined;
  readonly answers: readonly Answer[];
  readonly silent: readonly SilentProcess[];
  /** By gate: those silent ones that are known to have it on, because their kubelet declares so. */
  readonly declared?: ReadonlyMap<string, readonly SilentProcess[]>;
}

/** Processes that say exactly the same, about all gates. */
export interface Answer {
  readonly gates: ReadonlyMap<string, GateValue>;
  /** The gates that their code asked for. */
  readonly read: ReadonlySet<string>;
  readonly version: string;
  readonly emulationVersion: string | undefined;
  readonly reportsItself: boolean;
  readonly processes: readonly ProcessReport[];
}

/** A process that was expected and has not answered in this round, whatever it said before. */
export interface SilentProcess {
  readonly process: string;
  readonly node?: string;
  readonly version?: string;
  readonly cause: SampleCause;
}

export interface RollCallInput {
  readonly component: string;
  readonly required: boolean;
  readonly minVersion?: string | undefined;
  readonly roster: Roster;
  /** Reports of this component. */
  readonly reports: Iterable<ProcessReport>;
  /** Values of a vector; undefined while it is missing or is not what its name says. */
  readonly gatesOf: (vector: string) => ReadonlyMap<string, GateValue> | undefined;
  /** Names of reports that are too many to be counted. */
  readonly uncounted?: readonly string[];
  readonly round: Round;
  /** On the clock by which the reports were seen. */
  readonly nowMs: number;
}

/**
 * Calls the roll of a component: every process that is expected, and every report
 * that counts although it was not expected, has answered or is silent, never both.
 */
export function rollCall({ component, required, minVersion, ...input }: RollCallInput): RollCall {
  const { roster, round, nowMs } = input;
  const answers = new Answers(input.gatesOf);
  const silent: SilentProcess[] = [];
  const expired: ProcessReport[] = [];
  const heard = new Set<ExpectedProcess>();
  for (const report of input.reports) {
    const process = roster.processOf(report);
    if (process ? !process.live : roster.others === 'none') continue;
    if (!isCurrent(report, nowMs)) {
      expired.push(report);
      continue;
    }
    if (process) heard.add(process);
    if (!isConfirmed(report, round)) silent.push(silentAs(report, 'NotYetConfirmed'));
    else if (!answers.add(report)) silent.push(silentAs(report, 'NoReport'));
  }
  const declared = new Map<string, SilentProcess[]>();
  const noteDeclared = (process: ExpectedProcess | undefined, one: SilentProcess) => {
    for (const gate of process?.live ? (process.declares ?? []) : []) {
      const known = declared.get(gate);
      if (known) known.push(one);
      else declared.set(gate, [one]);
    }
  };
  for (const report of expired) {
    const process = roster.processOf(report);
    // Its successor has reported, or it stopped beside a roster that knows who lives.
    if (process ? heard.has(process) : roster.others === 'renewed') continue;
    if (process) heard.add(process);
    const one = silentAs(report, 'ReportExpired');
    silent.push(one);
    noteDeclared(process, one);
  }
  for (const process of heard.size === roster.expected.length ? [] : roster.expected) {
    if (heard.has(process) || (!process.live && roster.whenNotLive === 'gone')) continue;
    const { name, node, live, outOfReach } = process;
    const cause = live ? (outOfReach ? 'OutOfReach' : roster.whenUnheard) : 'NodeDown';
    const one: SilentProcess = { process: name, ...(node !== undefined && { node }), cause };
    silent.push(one);
    noteDeclared(process, one);
  }
  const [first, ...more] = input.uncounted ?? [];
  if (first !== undefined) {
    // One entry, however many they are: what such a process runs is not known, so nothing is agreed on.
    silent.push({ process: more.length === 0 ? first : `${first} and ${more.length} more`, cause: 'OverLimit' });
  }
  return { component, required, minVersion, answers: answers.all(), silent, declared };
}

function silentAs({ name, node, says }: ProcessReport, cause: SampleCause): SilentProcess {
  return { process: name, ...(node !== undefined && { node }), version: says.binaryVersion, cause };
}

/** Puts reports together that say the same. */
class Answers {
  readonly #gatesOf: RollCallInput['gatesOf'];
  readonly #found = new Map<Statement, (Answer & { readonly processes: ProcessReport[] }) | undefined>();

  constructor(gatesOf: RollCallInput['gatesOf']) {
    this.#gatesOf = gatesOf;
  }

  /** False when the values that the report names do not exist. */
  add(report: ProcessReport): boolean {
    const { says } = report;
    const known = this.#found.get(says);
    if (known) known.processes.push(report);
    else if (!this.#found.has(says)) this.#found.set(says, this.#first(report));
    return this.#found.get(says) !== undefined;
  }

  all(): readonly Answer[] {
    return [...this.#found.values()].filter((answer) => answer !== undefined);
  }

  #first(report: ProcessReport) {
    const { vector, queried, binaryVersion: version, emulationVersion, reportsItself } = report.says;
    const gates = this.#gatesOf(vector);
    const read = gates && new Set(queriedGates([...gates.keys()], queried));
    return gates && read && { gates, read, version, emulationVersion, reportsItself, processes: [report] };
  }
}
