import { appendFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Baseline,
  type CheckResult,
  counts,
  createBaseline,
  type KepRepository,
  type ProposalFindings,
  type ReportFormat,
  readBaseline,
  readSource,
  renderReport,
  reportFormats,
  reportText,
  type Severity,
  singleFile,
  summaryLine,
  type Tally,
  tallyOf,
  writeBaseline,
  writeOutput,
  writeWhole,
} from '@slipway/kep';
import { type Command, Option } from 'commander';
import { Content } from '../../output/content.js';
import { outputOption } from '../../output/format.js';
import { type Invocation, newCommand, repeated } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { expectShortRun } from '../../runtime/short-run.js';
import { changedInIndex, changedSince } from './changed-proposals.js';
import {
  openRepository,
  policyOf,
  type RepositoryOptions,
  someKeps,
  stageOf,
  targets,
  withRepository,
} from './open-repository.js';
import { resultCache } from './result-cache.js';
import { allTargets, progressLine, runRules, type Target, targetOf } from './run-rules.js';

/** For fewer proposals than this, results are not kept: all are read again in a moment. */
const cachedFrom = 50;

interface Options extends RepositoryOptions {
  readonly stage?: string;
  readonly since?: string;
  readonly staged?: boolean;
  readonly stdinFilename: string;
  readonly format: ReportFormat;
  readonly outputFile?: string;
  readonly failOn: Severity | 'never';
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly stats?: boolean;
  readonly progress: boolean;
  readonly cache: boolean;
}

/** `slipway kep check`. */
export function check(invocation: Invocation): Command {
  return withRepository(
    newCommand('check', 'Check proposals by the rules of their stage', [
      'slipway kep check',
      'slipway kep check 5620 --stage beta',
      'slipway kep check --since origin/main --output github',
      'slipway kep check --root ../enhancements --output json --output-file findings.json --fail-on never',
      'slipway kep check - --stdin-filename idea.md < idea.md',
    ]),
  )
    .argument('[targets...]', 'folders, files or numbers of proposals, or - for stdin (default: all)')
    .option('--stage <stage>', 'hold them to this stage instead of their own')
    .option('--since <ref>', 'only proposals that changed since this commit, under the policy of that commit')
    .option('--staged', 'only proposals that are about to be committed')
    .option('--stdin-filename <name>', 'what to call the text of stdin', 'stdin.md')
    .option('--rule <rule>', 'only this rule, by id or name; may be repeated', repeated)
    .addOption(outputOption(reportFormats))
    .option('--output-file <file>', 'write to this file instead of to stdout')
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 for findings as bad as this')
        .choices(['error', 'warn', 'info', 'never'])
        .default('error'),
    )
    .option('--baseline <file>', 'findings that are known and do not count')
    .option('--update-baseline', 'write all findings into the baseline')
    .option('--stats', 'say at the end how often each rule found something')
    .option('--no-progress', 'show no progress')
    .option('--no-cache', 'check everything again, and keep no results for the next run')
    .action((names: string[], options: Options) => checkAll(invocation, names, options));
}

async function checkAll(invocation: Invocation, names: readonly string[], options: Options): Promise<void> {
  expectShortRun();
  const { terminal, signal, answer } = invocation;
  const repository = openRepository(options, names[0] === '-' ? '.' : names[0]);
  const stage = stageOf(options.stage, repository);
  const baselinePath = options.baseline ?? repository.config.baseline;
  if (options.updateBaseline && !baselinePath)
    throw new CommandError(exit.usage, 'there is no baseline to update', 'name it with --baseline FILE');
  const known = baselinePath && !options.updateBaseline ? loadBaseline(repository, baselinePath, options) : undefined;
  const chosen = await chosenTargets(repository, names, options, signal);
  const progress =
    terminal.progress && options.progress ? progressLine(terminal, chosen.total, () => performance.now()) : () => {};
  const keepFacts = options.updateBaseline === true;
  const isPlain = names.length === 0 && !keepFacts && !options.staged && !options.rule && !stage && !options.since;
  const isWorthIt = options.cache && isPlain && chosen.total >= cachedFrom;
  const cache = isWorthIt ? resultCache(repository, known?.text ?? '') : undefined;
  const run = { stage, baseline: known?.baseline, keepFacts, cache, signal, progress };
  const { results, known: all, checked, aims } = await runRules(repository, chosen.targets, run);
  progress();
  if (options.updateBaseline && baselinePath) {
    writeWhole(join(repository.layout.root, baselinePath), writeBaseline(all));
    terminal.err(`wrote ${baselinePath}\n`);
    return;
  }
  print({ results, checked, template: templateNames(repository), targets: aims }, options, terminal);
  if (options.stats) terminal.err(statsOf(results));
  verdict(results, options, invocation, answer);
}

async function chosenTargets(
  repository: KepRepository,
  names: readonly string[],
  { since, staged, stdinFilename }: Options,
  signal: AbortSignal,
): Promise<{ readonly targets: Iterable<Target>; readonly total: number }> {
  const several = (targets: readonly Target[]) => ({ targets, total: targets.length });
  if (names.length === 1 && names[0] === '-') return several([await stdinTarget(repository, stdinFilename)]);
  const isAll = names.length === 0 && since === undefined && !staged;
  const keps = isAll ? someKeps(repository) : targets(repository, names);
  if (since !== undefined) return several(await changedSince(repository, keps, since, signal));
  if (staged) return several(await changedInIndex(repository, keps, signal));
  return isAll
    ? { targets: allTargets(repository, keps), total: keps.length }
    : several(keps.map((found) => targetOf(repository, found)));
}

/** The text of stdin as a proposal without metadata, or in the place of the README that it is named after. */
async function stdinTarget(repository: KepRepository, name: string): Promise<Target> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  const { root } = repository.layout;
  const whole = repository.keps().find(({ path }) => join(path, 'README.md') === resolve(name));
  const found = whole ?? singleFile(resolve(root, name), root);
  return { kep: () => repository.withTexts(repository.load(found), new Map([['readme' as const, text]])) };
}

/** The templates that proposals and documents are held to. */
function templateNames({ config, template }: KepRepository): string {
  const declared = config.kinds.flatMap((kind) => kind.template ?? []);
  return [...(config.hasKeps ? [template.name] : []), ...declared].join(', ');
}

function print(result: CheckResult, { format, outputFile }: Options, terminal: Invocation['terminal']): void {
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (format === 'github' && summary) appendSummary(summary, reportText(result, 'markdown'), terminal);
  if (outputFile === undefined) {
    const text = reportText(result, format);
    terminal.out(format === 'pretty' ? text : new Content(text));
    return;
  }
  try {
    writeOutput(outputFile, renderReport(result, format));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(exit.usage, `--output-file: ${why}`, 'name a file in a folder that you may write to', {
      cause: error,
    });
  }
  terminal.err(`${summaryLine(result.results, result.checked)}; wrote ${outputFile}\n`);
}

/** What cannot be written there is not worth failing for: all findings are in the log too. */
function appendSummary(path: string, text: string, terminal: Invocation['terminal']): void {
  try {
    appendFileSync(path, `## Proposals\n\n${text}\n`);
  } catch (error) {
    terminal.err(`the step summary cannot be written: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function verdict(
  results: readonly ProposalFindings[],
  { failOn, format, outputFile }: Options,
  { terminal }: Invocation,
  answer: Invocation['answer'],
): void {
  if (failOn === 'never') return;
  const isPretty = format === 'pretty' && !outputFile;
  // What is kept was read without an error.
  if (results.some((result) => !result.kept && result.findings.some(({ rule }) => rule === 'KEP390'))) {
    if (isPretty) terminal.err('To fix: make the files readable that are named above; they were not checked\n');
    answer(exit.unknown);
  } else if (fails(tallyOf(results), failOn)) {
    if (isPretty) terminal.err(hint(results));
    answer(exit.no);
  }
}

/** Whether findings that count are as bad as this. */
function fails({ errors, warnings, infos }: Tally, failOn: Severity): boolean {
  return errors > 0 || (failOn !== 'error' && warnings > 0) || (failOn === 'info' && infos > 0);
}

function hint(results: readonly ProposalFindings[]): string {
  const canFix = results.some(({ findings }) => findings.some(({ fix }) => fix?.safety === 'safe'));
  return `To fix: ${canFix ? 'slipway kep fix, then look at' : 'look at'} docs/reference/rules for what is left\n`;
}

/** `KEP102 question-missing 12`, the most frequent first. */
function statsOf(results: readonly ProposalFindings[]): string {
  const times = new Map<string, number>();
  for (const finding of results.flatMap(({ findings }) => findings).filter(counts)) {
    const name = `${finding.rule} ${finding.slug}`;
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  const sorted = [...times].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  return sorted.map(([name, count]) => `${String(count).padStart(6)}  ${name}\n`).join('');
}

function loadBaseline(
  repository: KepRepository,
  path: string,
  options: Options,
): { readonly baseline: Baseline; readonly text: string } {
  const policy = options.baseline === undefined ? policyOf(repository.layout, options) : undefined;
  const text = policy ? policy(path) : readSource(join(repository.layout.root, path), 64 * 1024 * 1024)?.text;
  if (text === undefined)
    throw new CommandError(exit.usage, `the baseline ${path} cannot be read`, 'write it with --update-baseline');
  try {
    return { baseline: createBaseline(readBaseline(text)), text };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(
      exit.usage,
      `the baseline ${path}: ${error.message}`,
      'write it again with --update-baseline',
      { cause: error },
    );
  }
}
