import { join } from 'node:path';
import {
  atLeast,
  type CheckResult,
  counts,
  createBaseline,
  type Finding,
  type KepFacts,
  type KepRepository,
  type ReportFormat,
  readBaseline,
  readSource,
  renderReport,
  reportFormats,
  type Severity,
  summaryLine,
  writeBaseline,
  writeWhole,
} from '@slipway/kep';
import { type Command, Option } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { changedPaths } from './changed-paths.js';
import { openRepository, type RepositoryOptions, stageOf, targets, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly stage?: string;
  readonly since?: string;
  readonly format: ReportFormat;
  readonly output?: string;
  readonly failOn: Severity | 'never';
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly progress: boolean;
}

/** `slipway kep check`. */
export function check({ terminal, signal, answer }: Invocation): Command {
  return withRepository(
    newCommand('check', 'Hold proposals to the rules of their stage', [
      'slipway kep check',
      'slipway kep check 5620 --stage beta',
      'slipway kep check --since origin/main --format github',
      'slipway kep check --root ../enhancements --format json --output findings.json --fail-on never',
    ]),
  )
    .argument('[targets...]', 'folders, files or numbers of proposals (default: all)')
    .option('--stage <stage>', 'hold them to this stage instead of their own')
    .option('--since <ref>', 'only proposals that changed since this commit')
    .option('--rule <rules...>', 'only these rules, by id or name')
    .addOption(new Option('--format <format>', 'how to print').choices(reportFormats).default('pretty'))
    .option('--output <file>', 'write there instead of to the terminal')
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 for findings as bad as this')
        .choices(['error', 'warn', 'info', 'never'])
        .default('error'),
    )
    .option('--baseline <file>', 'findings that are known and do not count')
    .option('--update-baseline', 'write all findings into the baseline')
    .option('--no-progress', 'show no progress')
    .action(async (names: string[], options: Options) => {
      const repository = openRepository(options, names[0]);
      const stage = stageOf(options.stage);
      const baselinePath = options.baseline ?? repository.config.baseline;
      if (options.updateBaseline && !baselinePath) {
        throw new CommandError(exit.usage, 'there is no baseline to update', 'name it with --baseline FILE');
      }
      const baseline = baselinePath && !options.updateBaseline ? loadBaseline(repository, baselinePath) : undefined;
      const chosen = await changedOnly(repository, targets(repository, names), options.since, signal);
      const findings: Finding[] = [];
      const known: { finding: Finding; facts: KepFacts }[] = [];
      const aims = new Map<string, string>();
      const startedAt = performance.now();
      let shownAt = startedAt;
      const progress = terminal.progress && options.progress;
      for (const [at, found] of chosen.entries()) {
        if (progress && performance.now() - shownAt > 200 && performance.now() - startedAt > 1_000) {
          shownAt = performance.now();
          terminal.err(`\r${at} of ${chosen.length} KEPs`);
        }
        if (at % 20 === 0) signal.throwIfAborted();
        const kep = repository.load(found);
        const facts = repository.facts(kep, stage);
        const all = repository.check(facts, kep, baseline);
        findings.push(...all);
        if (options.updateBaseline) known.push(...all.map((finding) => ({ finding, facts })));
        aims.set(found.directory, `target ${facts.stage}${facts.milestone ? `, v1.${facts.milestone}` : ''}`);
      }
      if (shownAt !== startedAt) terminal.err('\r\u001b[K');
      if (options.updateBaseline && baselinePath) {
        writeWhole(join(repository.layout.root, baselinePath), writeBaseline(known));
        terminal.err(`wrote ${baselinePath}\n`);
        return;
      }
      const result = { findings, checked: chosen.length, template: repository.template.name, targets: aims };
      print(result, options, terminal);
      const { failOn } = options;
      if (failOn !== 'never' && findings.some((finding) => counts(finding) && atLeast(finding.severity, failOn))) {
        if (options.format === 'pretty' && !options.output) terminal.err(hint(findings));
        answer(exit.no);
      }
    });
}

function print(result: CheckResult, { format, output }: Options, terminal: Invocation['terminal']): void {
  const text = renderReport(result, format);
  if (output === undefined) {
    terminal.out(text);
    return;
  }
  writeWhole(output, text);
  terminal.err(`${summaryLine(result.findings, result.checked)}; wrote ${output}\n`);
}

function hint(findings: readonly Finding[]): string {
  const canFix = findings.some(({ fix }) => fix?.safety === 'safe');
  return `To fix: ${canFix ? 'slipway kep fix, then look at' : 'look at'} docs/reference/rules for what is left\n`;
}

function loadBaseline(repository: KepRepository, path: string) {
  const text = readSource(join(repository.layout.root, path), 64 * 1024 * 1024)?.text;
  if (text === undefined)
    throw new CommandError(exit.usage, `the baseline ${path} cannot be read`, 'write it with --update-baseline');
  try {
    return createBaseline(readBaseline(text));
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

async function changedOnly(
  repository: KepRepository,
  keps: ReturnType<typeof targets>,
  since: string | undefined,
  signal: AbortSignal,
) {
  if (since === undefined) return keps;
  const changed = await changedPaths(repository.layout.root, since, signal);
  return keps.filter((kep) => {
    if (changed.some((path) => path.startsWith(`${kep.directory}/`))) return true;
    const { approvalPath } = repository.load(kep);
    return approvalPath !== undefined && changed.includes(approvalPath);
  });
}
