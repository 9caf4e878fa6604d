import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type FileRole,
  isOpen,
  type KepYaml,
  type LoadedKep,
  minorOf,
  type PromotedKep,
  patchText,
  promoteKep,
  type Stage,
  writeWhole,
} from '@slipway/kep';
import { printableLine } from '@slipway/safe-yaml/printable';
import type { Command } from 'commander';
import { Content } from '../../output/content.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { nextStage } from './kep-rows.js';
import { kepStageOf, oneKep, openRepository, type RepositoryOptions, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly to?: string;
  readonly milestone: string;
  readonly prrApprover?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly format: Format;
}

/** `slipway kep promote KEP`. */
export function promote({ terminal, answer }: Invocation): Command {
  return withRepository(
    newCommand('promote', 'Move a proposal to its next stage if it meets the requirements', [
      'slipway kep promote 5620 --milestone v1.37 --dry-run',
      'slipway kep promote 5620 --to beta --milestone v1.37 --prr-approver @somebody',
    ]),
  )
    .argument('<kep>', 'folder, file or number')
    .option('--to <stage>', 'stage to move to (default: the next one)')
    .requiredOption('--milestone <release>', 'release that the stage is meant for')
    .option('--prr-approver <handle>', 'approver of the production readiness of the stage')
    .option('--force', 'move it even if requirements are missing')
    .option('--dry-run', 'print the changes as a patch without writing them')
    .addOption(outcomeOption())
    .action((name: string, options: Options) => {
      const minor = minorOf(options.milestone);
      if (minor === undefined)
        throw new CommandError(
          exit.usage,
          `--milestone: ${options.milestone} is not a release`,
          'write for example v1.37',
        );
      const repository = openRepository(options, name.includes('/') ? name : '.');
      const kep = repository.load(oneKep(repository, name));
      const to = kepStageOf(options.to) ?? nextStage(repository.facts(kep).stage);
      if (!to || to === 'draft')
        throw new CommandError(exit.no, `${kep.found.directory} is at its last stage`, 'name another with --to');
      const { prrApprover } = options;
      const promotion = { to, milestone: `v1.${minor}`, today: new Date().toISOString().slice(0, 10), prrApprover };
      const promoted = promoteKep(repository, kep, readable(kep), promotion);
      const isReady = promoted.obstacles.length === 0 || options.force === true;
      const isWritten = isReady && !options.dryRun;
      const paths = pathsOf(kep, promoted);
      if (isWritten) for (const [path, { after }] of paths) write(join(repository.layout.root, path), after);
      const patch = [...paths].map(([path, { before, after }]) => patchText(path, before, after)).join('');
      const done = `${kep.found.directory} is at ${to} for v1.${minor}: ${[...paths.keys()].join(', ')}\n`;
      const obstacles = promoted.obstacles.map(({ rule, path, span, message }) => ({
        rule,
        path,
        line: span.start.line,
        message,
      }));
      const document = {
        version: 1,
        kep: kep.found.directory,
        to,
        milestone: `v1.${minor}`,
        written: isWritten,
        obstacles,
        patch,
      };
      const text = isWritten ? done : isReady ? new Content(patch) : obstacleLines(promoted);
      terminal.out(renderOutcome(options.format, text, document));
      if (isReady) return;
      terminal.err(refusal(kep, to, promoted));
      answer(exit.no);
    });
}

function obstacleLines({ obstacles }: PromotedKep): string {
  return obstacles
    .map(({ path, span, rule, message }) => `${path}:${span.start.line} ${rule} ${printableLine(message)}\n`)
    .join('');
}

function refusal({ found }: LoadedKep, to: Stage, { obstacles, facts }: PromotedKep): string {
  const open = facts.assessed.filter(isOpen).length;
  const approver = obstacles.some(({ rule }) => /^KEP61[1-4]$/.test(rule))
    ? ', name who approves with --prr-approver'
    : '';
  return (
    `${found.directory} is not ready for ${to}: ${obstacles.length} obstacles, ${open} sections open\n` +
    `To fix: write what is missing${approver}, or move it all the same with --force\n`
  );
}

function readable({ yaml, found }: LoadedKep): KepYaml {
  if (yaml?.root && yaml.problems.length === 0) return yaml;
  throw new CommandError(
    exit.usage,
    `${found.directory}/kep.yaml cannot be read`,
    `slipway kep check ${found.directory}`,
  );
}

/** The files that change, relative to the root. */
function pathsOf(
  kep: LoadedKep,
  { texts }: PromotedKep,
): ReadonlyMap<string, { readonly before: string | undefined; readonly after: string }> {
  const { directory } = kep.found;
  const paths: Record<FileRole, string> = {
    readme: `${directory}/README.md`,
    yaml: `${directory}/kep.yaml`,
    approval: kep.approvalPath ?? '',
  };
  const before = { readme: kep.readme?.text, yaml: kep.yaml?.text, approval: kep.approval?.text };
  return new Map([...texts].map(([role, after]) => [paths[role], { before: before[role], after }]));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, text);
}
