import type { ComponentUses, ProcessSample, Target, UsesStatus } from '../api/feature.js';
import type { StageEntry } from '../api/feature-definition.js';
import { valueWhenUnregistered } from '../lifecycle/stages.js';
import { compareVersions } from '../lifecycle/versions.js';
import { isEvidence, type ProcessReport, type Round } from './process-report.js';
import type { ExpectedProcess, Roster } from './roster.js';

export type UseCounts = Omit<UsesStatus, 'epoch' | 'epochAt'>;

export interface CountedComponent {
  readonly name: string;
  readonly required: boolean;
  readonly roster: Roster;
  readonly minVersion?: string | undefined;
}

export interface CountInput {
  readonly gate: string;
  readonly stages?: readonly StageEntry[] | undefined;
  readonly components: readonly CountedComponent[];
  readonly reports: readonly ProcessReport[];
  readonly round: Round;
  /** Where processes should be: those elsewhere are the ones named in samples. */
  readonly towards: Target;
}

/** Samples kept of each component. */
const mostSamples = 5;
/** Versions told apart in each component. */
const mostVersions = 4;

/**
 * Puts every process of every component into exactly one class: on, off,
 * unregistered or silent. A process that was expected and has not reported in this
 * round is silent, whatever it said before.
 */
export function countUses({ gate, stages, components, reports, round, towards }: CountInput): UseCounts {
  const counted = components.map((component) => {
    const own = reports.filter((report) => report.component === component.name);
    return countComponent(component, findings(gate, stages, component, own, round), towards === 'On' ? 'on' : 'off');
  });
  const sum = (count: (component: ComponentUses) => number) =>
    counted.reduce((total, component) => total + count(component), 0);
  return {
    expected: sum(({ expected }) => expected),
    reporting: sum(({ expected, silent }) => expected - silent),
    on: sum(({ on }) => on),
    off: sum(({ off }) => off),
    unregistered: sum(({ unregistered }) => unregistered),
    silent: sum(({ silent }) => silent),
    read: sum(({ read }) => read),
    components: counted,
  };
}

/** One process and what it runs. */
interface Finding extends ProcessSample {
  readonly read: boolean;
  /** The value counted; a process that disagrees with itself counts as unregistered. */
  readonly counted: 'on' | 'off' | 'unregistered' | 'silent';
}

function findings(
  gate: string,
  stages: readonly StageEntry[] | undefined,
  { roster, minVersion }: CountedComponent,
  reports: readonly ProcessReport[],
  round: Round,
): readonly Finding[] {
  const byName = new Map(
    reports.flatMap((report) => [
      [report.instance, report],
      [report.node ?? report.instance, report],
    ]),
  );
  const matched = new Set<ProcessReport>();
  const expected = roster.expected.flatMap((process): Finding[] => {
    const report = process.instances.flatMap((name) => byName.get(name) ?? [])[0];
    if (report) matched.add(report);
    if (!process.live) return roster.whenNotLive === 'silent' ? [missing(process, 'NodeDown')] : [];
    return report ? [finding(gate, stages, report, round)] : [missing(process, 'NoReport')];
  });
  const others = roster.open ? reports.filter((report) => !matched.has(report)) : [];
  return [...expected, ...others.map((report) => finding(gate, stages, report, round))].filter(
    ({ counted, version }) =>
      !(counted === 'unregistered' && minVersion && version && compareVersions(version, minVersion) < 0),
  );
}

function finding(
  gate: string,
  stages: readonly StageEntry[] | undefined,
  report: ProcessReport,
  round: Round,
): Finding {
  const base = {
    process: report.name,
    ...(report.node !== undefined && { node: report.node }),
    version: report.binaryVersion,
    read: report.hasRead(gate),
  };
  if (!isEvidence(report, round)) {
    const cause = report.current ? 'NotYetConfirmed' : 'ReportExpired';
    return { ...base, value: 'silent', counted: 'silent', cause };
  }
  if (!report.gates) return { ...base, value: 'silent', counted: 'silent', cause: 'NoReport' };
  const value = report.gates.get(gate);
  if (value?.mixed) return { ...base, value: 'mixed', counted: 'unregistered' };
  const enabled = value?.enabled ?? valueWhenUnregistered(stages, report.emulationVersion ?? report.binaryVersion);
  if (enabled === undefined) return { ...base, value: 'unregistered', counted: 'unregistered', cause: 'TooOld' };
  const word = enabled ? 'on' : 'off';
  return { ...base, value: word, counted: word, ...(value?.set && { cause: 'ExplicitFlag' as const }) };
}

function missing({ name, node }: ExpectedProcess, cause: 'NoReport' | 'NodeDown'): Finding {
  return { process: name, ...(node !== undefined && { node }), value: 'silent', counted: 'silent', read: false, cause };
}

function countComponent(
  { name, required }: CountedComponent,
  all: readonly Finding[],
  towards: 'on' | 'off',
): ComponentUses {
  const count = (value: Finding['counted']) => all.filter(({ counted }) => counted === value).length;
  const odd = all.filter(({ counted }) => counted !== towards);
  return {
    name,
    required,
    expected: all.length,
    on: count('on'),
    off: count('off'),
    unregistered: count('unregistered'),
    silent: count('silent'),
    read: all.filter(({ read }) => read).length,
    versions: byVersion(all),
    samples: odd.slice(0, mostSamples).map(({ read: _read, counted: _counted, ...sample }) => sample),
  };
}

function byVersion(all: readonly Finding[]): ComponentUses['versions'] {
  const versions = [...new Set(all.flatMap(({ version }) => version ?? []))].sort(compareVersions).slice(-mostVersions);
  return versions.map((v) => ({
    v,
    on: all.filter(({ version, counted }) => version === v && counted === 'on').length,
    off: all.filter(({ version, counted }) => version === v && counted === 'off').length,
  }));
}
