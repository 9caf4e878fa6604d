// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What became of one spec of the suite.
 * @typedef {{ name: string, state: 'passed' | 'failed' | 'skipped' | 'lost', seconds: number, why: string }} SpecResult
 * @typedef {{ program: string, kubeconfig: string, folder: string, focus?: string, patienceSeconds: number, atOnce: number }} Suite
 * @typedef {{ LeafNodeType: string, LeafNodeText: string, ContainerHierarchyTexts: string[] | null, State: string, RunTime: number,
 *   Failure?: { Message?: string } }} SpecReport
 */

/** Specs that one process runs: starting one takes as long as several of them. */
const perProcess = 5;

/**
 * The names of all specs that a regular expression finds.
 * @param {Suite} suite
 * @param {string} focus
 */
export async function specNames(suite, focus) {
  const reports = await ginkgo(suite, 'names', ['--ginkgo.dry-run', `--ginkgo.focus=${focus}`]);
  return reports.filter(({ State }) => State !== 'skipped').map(nameOf);
}

/**
 * Runs specs, several processes at once. A process that outlasts the patience is given up: what it ran then, and what
 * waited behind that, runs again in smaller groups, in the end alone.
 * @param {Suite} suite
 * @param {readonly string[]} names
 * @param {(result: SpecResult) => void} onResult
 */
export async function runSpecs(suite, names, onResult) {
  const size = suite.atOnce === 1 ? 1 : Math.min(perProcess, Math.ceil(names.length / suite.atOnce));
  const groups = groupsOf(names, size);
  let started = 0;
  const work = async () => {
    for (let group = groups.shift(); group; group = groups.shift()) {
      const results = await runGroup(suite, `group-${++started}`, group);
      const isAlone = group.length === 1;
      for (const result of results) if (isAlone || result.state !== 'lost') onResult(result);
      const waiting = results.filter(({ state }) => !isAlone && state === 'lost').map(({ name }) => name);
      if (waiting.length > 0) groups.push(...groupsOf(waiting, Math.ceil(waiting.length / 2)));
    }
  };
  await Promise.all(Array.from({ length: suite.atOnce }, work));
}

/**
 * @param {Suite} suite
 * @param {string} id
 * @param {readonly string[]} names
 * @returns {Promise<SpecResult[]>}
 */
async function runGroup(suite, id, names) {
  // What is matched begins with the name of the suite.
  const only = ` (${names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`;
  const reports = await ginkgo(suite, id, [`--ginkgo.focus=${only}`, `--ginkgo.timeout=${suite.patienceSeconds}s`]);
  const byName = new Map(reports.map((report) => [nameOf(report), report]));
  return names.map((name) => resultOf(name, byName.get(name), names.length === 1));
}

/**
 * @param {string} name
 * @param {SpecReport | undefined} report
 * @param {boolean} isAlone whether it had all the patience for itself
 * @returns {SpecResult}
 */
export function resultOf(name, report, isAlone) {
  const seconds = Math.round((report?.RunTime ?? 0) / 1e9);
  const why = (report?.Failure?.Message ?? '').trim();
  // A spec that decides itself that it does not fit has run; one behind a spec that took too long has not.
  const wasCut = !isAlone && (report?.State === 'timedout' || report?.State === 'interrupted');
  const hasRun = report && !wasCut && (report.State !== 'skipped' || why !== '');
  if (!hasRun) return { name, state: 'lost', seconds, why: 'it did not run' };
  const state = report.State === 'passed' ? 'passed' : report.State === 'skipped' ? 'skipped' : 'failed';
  return { name, state, seconds, why };
}

/**
 * Runs the suite and reads its report.
 * @param {Suite} suite
 * @param {string} id
 * @param {string[]} flags
 * @returns {Promise<SpecReport[]>}
 */
async function ginkgo({ program, kubeconfig, folder }, id, flags) {
  const report = join(folder, `${id}.json`);
  const always = ['--provider=skeleton', `--kubeconfig=${kubeconfig}`, '--dump-logs-on-failure=false'];
  const ours = [
    ...always,
    '--ginkgo.no-color',
    '--ginkgo.succinct',
    '--ginkgo.grace-period=10s',
    `--ginkgo.json-report=${report}`,
  ];
  const child = spawn(program, [...ours, ...flags], { stdio: 'ignore', cwd: folder });
  await once(child, 'close');
  return readReport(report).filter(({ LeafNodeType }) => LeafNodeType === 'It');
}

/**
 * Reads what a process reported of its specs: nothing where it was killed before it could.
 * @param {string} path
 * @returns {SpecReport[]}
 */
function readReport(path) {
  try {
    const [suite] = JSON.parse(readFileSync(path, 'utf8'));
    return suite?.SpecReports ?? [];
  } catch (error) {
    if (error instanceof SyntaxError || !existsSync(path)) return [];
    throw error;
  }
}

/** @param {SpecReport} report */
function nameOf({ ContainerHierarchyTexts, LeafNodeText }) {
  return [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
}

/**
 * Neighbours are spread, as those of one file often take equally long.
 * @param {readonly string[]} names
 * @param {number} size
 */
export function groupsOf(names, size) {
  const count = Math.ceil(names.length / size);
  return Array.from({ length: count }, (_, group) => names.filter((_, index) => index % count === group));
}
