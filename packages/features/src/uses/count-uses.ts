import type { Waiver } from '../api/feature.js';
import type { StageEntry } from '../api/feature-definition.js';
import type { GateValue } from '../api/feature-vector.js';
import type { Target } from '../api/target.js';
import type { ComponentUses, ProcessSample, SampleCause, UsesStatus } from '../api/uses-status.js';
import { valueWhenUnregistered } from '../lifecycle/stages.js';
import { compareVersions, oldestVersion } from '../lifecycle/versions.js';
import { waiverOfProcess } from '../lifecycle/waived-uses.js';
import type { Answer, RollCall, SilentProcess } from './roll-call.js';

export type UseCounts = Omit<UsesStatus, 'epoch' | 'epochAt'>;

export interface CountInput {
  readonly gate: string;
  readonly stages?: readonly StageEntry[] | undefined;
  readonly rollCalls: readonly RollCall[];
  /** Where processes should be: those elsewhere are the ones named in samples. */
  readonly towards: Target;
  /** Those in force. */
  readonly waivers: readonly Waiver[];
  /** Whether a value is published that processes may take. */
  readonly isPublished?: boolean;
  /** With mode Central: the component whose processes keep to their own flags. */
  readonly authority?: string | undefined;
}

/** Samples kept of each component. */
const mostSamples = 5;
/** Versions told apart in each component. */
const mostVersions = 4;

/**
 * Puts every process of every component into exactly one class: on, off,
 * unregistered, silent or waived. Only a process that said so in this round is on or
 * off, or on that declares it in the status of its node. A process that runs the value has no use for a waiver, so it is never waived.
 */
export function countUses({ rollCalls, ...question }: CountInput): UseCounts {
  const { gate } = question;
  const components = rollCalls.map((roll) => countComponent(roll, question));
  const sum = (count: (component: ComponentUses) => number) =>
    components.reduce((total, component) => total + count(component), 0);
  return {
    expected: sum(({ expected }) => expected),
    reporting: sum(({ expected }) => expected) - rollCalls.reduce((total, roll) => total + unheardIn(roll, gate), 0),
    on: sum(({ on }) => on),
    off: sum(({ off }) => off),
    unregistered: sum(({ unregistered }) => unregistered),
    silent: sum(({ silent }) => silent),
    waived: sum(({ waived }) => waived),
    read: sum(({ read }) => read),
    components,
  };
}

/** How many processes of a roll call nothing is known of. */
function unheardIn({ silent, declared }: RollCall, gate: string): number {
  return silent.length - (declared?.get(gate)?.length ?? 0);
}

type Question = Omit<CountInput, 'rollCalls'>;
type Class = 'on' | 'off' | 'unregistered' | 'silent' | 'waived';

function countComponent(roll: RollCall, question: Question): ComponentUses {
  const { gate, stages, waivers } = question;
  const goal = question.towards === 'On' ? 'on' : 'off';
  const declared = roll.declared?.get(gate) ?? [];
  const silent = unheardIn(roll, gate);
  const counts: Record<Class, number> = { on: declared.length, off: 0, unregistered: 0, silent, waived: 0 };
  const versions = new Map<string, { on: number; off: number }>();
  const odd: (() => Iterable<Odd>)[] = [];
  const knowers = roll.answers.flatMap(({ gates, version }) => (gates.has(gate) ? [version] : []));
  const isPublished = (question.isPublished ?? true) && roll.component !== question.authority;
  let read = 0;
  let pendingRestart = 0;
  for (const answer of roll.answers) {
    const value = valueIn(answer, gate, stages);
    const counted = value === 'on' || value === 'off' ? value : 'unregistered';
    if (value === 'unregistered' && isTooOldToMatter(answer, roll.minVersion)) continue;
    const { length } = answer.processes;
    counts[counted] += length;
    if (answer.read.has(gate)) read += length;
    const ofVersion = versions.get(answer.version) ?? { on: 0, off: 0 };
    if (counted !== 'unregistered') ofVersion[counted] += length;
    versions.set(answer.version, ofVersion);
    if (counted !== goal) {
      const cause = causeOf(answer, value, { ...question, isPublished }, oldestVersion(knowers));
      odd.push(() => oddOnes(answer, value, counted, cause));
    } else if (answer.gates.get(gate)?.pendingRestart) pendingRestart += length;
  }
  if (goal === 'off') odd.push(() => declaredOnes(declared));
  odd.push(() => silentOnes(roll, new Set(declared)));

  const samples: ProcessSample[] = [];
  for (const each of odd) {
    if (samples.length >= mostSamples && waivers.length === 0) break;
    for (const one of each()) {
      const waiver = waivers.length === 0 ? undefined : waiverOfProcess(waivers, one);
      if (waiver) {
        counts[one.counted]--;
        counts.waived++;
      }
      if (samples.length < mostSamples) samples.push({ ...one.sample, ...(waiver && { waiver: waiver.id }) });
      else if (waivers.length === 0) break;
    }
  }
  const { component: name, required } = roll;
  const expected = counts.on + counts.off + counts.unregistered + counts.silent + counts.waived;
  const pending = pendingRestart > 0 && { pendingRestart };
  return { name, required, expected, ...counts, ...pending, read, versions: newest(versions), samples };
}

/** A process that does not run the value. */
interface Odd {
  readonly process: string;
  readonly node?: string | undefined;
  readonly counted: Exclude<Class, 'waived'>;
  readonly sample: ProcessSample;
}

function* oddOnes(
  answer: Answer,
  value: ProcessSample['value'],
  counted: Odd['counted'],
  cause: SampleCause | undefined,
): Iterable<Odd> {
  const { version } = answer;
  for (const { name: process, node } of answer.processes) {
    const sample = { process, ...(node !== undefined && { node }), version, value, ...(cause && { cause }) };
    yield { process, node, counted, sample };
  }
}

/** Why processes do not run the value; `knownSince` is the oldest version of the component that has the gate. */
function causeOf(
  { gates, version, reportsItself }: Answer,
  value: ProcessSample['value'],
  { gate, stages, isPublished }: Question & { readonly isPublished: boolean },
  knownSince: string | undefined,
): SampleCause | undefined {
  if (value === 'unregistered') {
    const since = oldestVersion([knownSince, stages?.[0]?.version].filter((each) => each !== undefined));
    return since !== undefined && compareVersions(version, since) > 0 ? 'GateRemoved' : 'TooOld';
  }
  const told = value === 'mixed' ? undefined : gates.get(gate);
  return told && whyOld(told, isPublished && reportsItself);
}

/** Why a process runs a value of its own. One that takes the value that is published to it only needs a moment. */
function whyOld({ set, pendingRestart, refused, follows }: GateValue, isPublished: boolean): SampleCause | undefined {
  if (set) return 'ExplicitFlag';
  if (pendingRestart) return 'PendingRestart';
  if (refused) return 'ChangeRefused';
  if (!isPublished) return 'NotPublished';
  return follows ? undefined : 'NotFollowing';
}

/** Processes that declare the gate although it should be off: nothing but their flags turns it off. */
function* declaredOnes(declared: readonly SilentProcess[]): Iterable<Odd> {
  for (const { process, node } of declared) {
    const at = node === undefined ? {} : { node };
    yield { process, node, counted: 'on', sample: { process, ...at, value: 'on', cause: 'NotPublished' } };
  }
}

function* silentOnes({ silent }: RollCall, declared: ReadonlySet<SilentProcess>): Iterable<Odd> {
  for (const one of silent) {
    if (declared.has(one)) continue;
    yield { process: one.process, node: one.node, counted: 'silent', sample: { ...one, value: 'silent' } };
  }
}

/**
 * What processes run. One that does not know the gate is resolved through the
 * history of the gate, at the version it emulates or else at its own.
 */
function valueIn(
  { gates, version, emulationVersion = version }: Answer,
  gate: string,
  stages: readonly StageEntry[] | undefined,
): Exclude<ProcessSample['value'], 'silent'> {
  const value = gates.get(gate);
  if (value?.mixed) return 'mixed';
  const enabled =
    value?.enabled ?? valueWhenUnregistered(stages, emulationVersion) ?? valueWhenUnregistered(stages, version);
  return enabled === undefined ? 'unregistered' : enabled ? 'on' : 'off';
}

function isTooOldToMatter({ version }: Answer, minVersion: string | undefined): boolean {
  return minVersion !== undefined && compareVersions(version, minVersion) < 0;
}

function newest(
  versions: ReadonlyMap<string, { readonly on: number; readonly off: number }>,
): ComponentUses['versions'] {
  const names = [...versions.keys()].sort(compareVersions).slice(-mostVersions);
  return names.map((v) => ({ v, on: 0, off: 0, ...versions.get(v) }));
}
