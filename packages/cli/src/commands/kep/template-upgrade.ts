import { join } from 'node:path';
import { type Template, type Upgrade, UpgradeRefusedError, upgradeToTemplate, writeWhole } from '@slipway/kep';
import { printableLine } from '@slipway/safe-yaml/printable';
import type { Command } from 'commander';
import { Content } from '../../output/content.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { oneTarget, openRepository, type RepositoryOptions, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly to?: string;
  readonly guidance: boolean;
  readonly write?: boolean;
  readonly format: Format;
}

/** `slipway kep template diff KEP`. */
export function diff({ terminal, answer }: Invocation): Command {
  return withUpgrade(
    newCommand('diff', 'Show how a proposal differs from a template; exits with 1 if it does', [
      'slipway kep template diff 5620',
      'slipway kep template diff 5620 --to builtin:2026.1 -o json',
    ]),
  ).action((name: string, options: Options) => {
    const { upgrade, template } = upgradeOf(name, options);
    const document = { version: 1, template: template.name, changes: upgrade.changes };
    const none = `nothing differs from ${template.name}\n`;
    terminal.out(renderOutcome(options.format, upgrade.changes.length > 0 ? listOf(upgrade) : none, document));
    if (upgrade.changes.length === 0) return;
    if (options.format === 'table') terminal.err(`To fix: slipway kep template upgrade ${name} --write\n`);
    answer(exit.no);
  });
}

/** `slipway kep template upgrade KEP`. */
export function upgrade({ terminal }: Invocation): Command {
  return withUpgrade(
    newCommand('upgrade', 'Move a proposal to another template and keep every line of its author', [
      'slipway kep template upgrade 5620 > upgraded.md',
      'slipway kep template upgrade 5620 --write --no-guidance',
    ]),
  )
    .option('--write', 'write the README instead of printing it')
    .action((name: string, options: Options) => {
      const { upgrade: done, template, path } = upgradeOf(name, options);
      const document = { version: 1, template: template.name, path, written: options.write === true, ...done };
      if (options.write && done.changes.length > 0) writeWhole(path, done.text);
      if (options.format !== 'table') terminal.out(renderOutcome(options.format, '', document));
      else if (options.write) terminal.out(`${listOf(done)}${path}: ${done.changes.length} changes\n`);
      else {
        terminal.err(listOf(done));
        terminal.out(new Content(done.text));
      }
    });
}

function withUpgrade(command: Command): Command {
  return withRepository(command)
    .argument('<kep>', 'folder, file or number')
    .option('--to <template>', 'the template (default: that of the configuration)')
    .option('--no-guidance', 'leave the instructions of the template out')
    .addOption(outcomeOption());
}

function listOf({ changes }: Upgrade): string {
  return changes.map(({ kind, message }) => `${kind.padEnd(9)} ${printableLine(message)}\n`).join('');
}

function upgradeOf(name: string, options: Options): { upgrade: Upgrade; template: Template; path: string } {
  const template = options.to ?? options.template;
  const repository = openRepository(
    { ...options, ...(template === undefined ? {} : { template }) },
    name.includes('/') ? name : '.',
  );
  const found = oneTarget(repository, name);
  const { readme } = repository.load(found);
  const held = options.to === undefined ? repository.templateOf(found) : repository.template;
  const path = found.file ?? join(found.path, 'README.md');
  if (readme?.text === undefined || readme.invalidAt !== undefined || readme.encoding !== 'utf-8')
    throw new CommandError(exit.usage, `${path} is not UTF-8 text of less than 2 MiB`, `slipway kep check ${name}`);
  try {
    const upgrade = upgradeToTemplate(readme.text, held, { guidance: options.guidance });
    return { upgrade, template: held, path };
  } catch (error) {
    if (!(error instanceof UpgradeRefusedError)) throw error;
    throw new CommandError(exit.usage, `${path}: ${error.message}`, `slipway kep check ${name}`, { cause: error });
  }
}
