import { join } from 'node:path';
import {
  applyEdits,
  counts,
  isOpen,
  type KepYaml,
  type LoadedKep,
  minorOf,
  printable,
  type Stage,
  setField,
  setMilestone,
  writeWhole,
} from '@slipway/kep';
import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { nextStage } from './kep-rows.js';
import { oneTarget, openRepository, type RepositoryOptions, stageOf, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly to?: string;
  readonly milestone: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/** `slipway kep promote KEP`. */
export function promote({ terminal, answer }: Invocation): Command {
  return withRepository(
    newCommand('promote', 'Move a proposal to its next stage, if it has what that stage asks for', [
      'slipway kep promote 5620 --milestone v1.37 --dry-run',
      'slipway kep promote 5620 --to beta --milestone v1.37',
    ]),
  )
    .argument('<kep>', 'folder, file or number')
    .option('--to <stage>', 'stage to move to (default: the next one)')
    .requiredOption('--milestone <release>', 'release that the stage is meant for')
    .option('--force', 'move it although something is missing')
    .option('--dry-run', 'write nothing, and print the new kep.yaml')
    .action((name: string, options: Options) => {
      const minor = minorOf(options.milestone);
      if (minor === undefined)
        throw new CommandError(
          exit.usage,
          `--milestone: ${options.milestone} is no release`,
          'write for example v1.37',
        );
      const repository = openRepository(options, name.includes('/') ? name : '.');
      const kep = repository.load(oneTarget(repository, name));
      const yaml = readable(kep);
      const to = stageOf(options.to) ?? nextStage(repository.facts(kep).stage);
      if (!to || to === 'draft')
        throw new CommandError(exit.no, `${kep.found.directory} is at its last stage`, 'name another with --to');

      // The new metadata first: what the stage asks for depends on the release.
      const text = promoted(yaml, to, `v1.${minor}`);
      const after = repository.withTexts(kep, new Map([['yaml' as const, text]]));
      const facts = repository.facts(after, to);
      const errors = repository
        .check(facts, after)
        .filter((finding) => counts(finding) && finding.severity === 'error' && !finding.rule.startsWith('KEP61'));
      if (errors.length > 0 && !options.force) {
        for (const { path, span, rule, message } of errors)
          terminal.out(`${path}:${span.start.line} ${rule} ${printable(message)}\n`);
        const open = facts.assessed.filter(isOpen).length;
        terminal.err(`${kep.found.directory} is not ready for ${to}: ${errors.length} errors, ${open} sections open\n`);
        terminal.err('To fix: write what is missing, or move it all the same with --force\n');
        answer(exit.no);
        return;
      }
      if (options.dryRun) {
        terminal.out(text);
        return;
      }
      writeWhole(join(kep.found.path, 'kep.yaml'), text);
      terminal.out(`${kep.found.directory} is at ${to} for v1.${minor}\n`);
    });
}

function readable({ yaml, found }: LoadedKep): KepYaml {
  if (yaml?.root && yaml.problems.length === 0) return yaml;
  throw new CommandError(
    exit.usage,
    `${found.directory}/kep.yaml cannot be read`,
    `slipway kep check ${found.directory}`,
  );
}

function promoted(yaml: KepYaml, to: Stage, milestone: string): string {
  const today = new Date().toISOString().slice(0, 10);
  const edits = [
    setField(yaml, 'stage', to),
    setField(yaml, 'latest-milestone', JSON.stringify(milestone), 'stage'),
    setMilestone(yaml, to, milestone),
    setField(yaml, 'last-updated', today, 'creation-date'),
  ];
  return applyEdits(yaml.text, edits);
}
