import { dirname, resolve } from 'node:path';
import {
  builtinTemplates,
  builtinTemplateText,
  kepLadder,
  layoutOf,
  lintTemplate,
  nearestLayout,
  readSource,
  readTemplate,
  type StageLadder,
} from '@slipway/kep';
import { printableLine } from '@slipway/safe-yaml/printable';
import type { Command } from 'commander';
import { Content, jsonContent } from '../../output/content.js';
import { outputOption } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { openRepository } from './open-repository.js';
import { diff, upgrade } from './template-upgrade.js';

/** `slipway kep template`, with its verbs. */
export function template(invocation: Invocation): Command {
  return newCommand('template', 'List, check and print templates of proposals')
    .addCommand(lint(invocation))
    .addCommand(diff(invocation))
    .addCommand(upgrade(invocation))
    .addCommand(showTemplate(invocation));
}

function lint({ terminal, answer }: Invocation): Command {
  return newCommand('lint', 'Show the requirements of a template, and errors in its directives', [
    'slipway kep template lint builtin:2026.1',
    'slipway kep template lint template.md --output json',
  ])
    .argument('<template>', 'a file, or the name of an included template')
    .option('--kind <kind>', 'kind of its documents (default: the kind that has this template)')
    .addOption(outputOption(['pretty', 'json']))
    .action((name: string, { format, kind }: { format: string; kind?: string }) => {
      const found = lintTemplate(readTemplate(textOf(name), name, ladderOf(name, kind)));
      if (format === 'json') terminal.out(jsonContent({ version: 1, ...found }));
      else {
        for (const { place, severity, rule, message } of found.problems) {
          terminal.out(
            `${`${place.line}:${place.column}`.padEnd(8)} ${severity.padEnd(5)}  ${rule}  ${printableLine(message)}\n`,
          );
        }
        const stages = Object.entries(found.byStage).filter(([stage]) => stage !== '');
        const byStage = stages.map(([stage, count]) => `${count} from ${stage}`).join(', ');
        terminal.out(
          `${found.sections} sections: ${found.required} required${byStage && ` (${byStage})`}, ` +
            `${found.optional} optional, ${found.withoutDirective} without a directive\n`,
        );
      }
      if (found.problems.some(({ severity }) => severity === 'error')) {
        if (format !== 'json') terminal.err('To fix: correct the directives that are named above\n');
        answer(exit.no);
      }
    });
}

function showTemplate({ terminal }: Invocation): Command {
  return newCommand('show', 'Print a template', ['slipway kep template show > README.md'])
    .argument('[template]', 'a file, or the name of an included template', builtinTemplates[0])
    .action((name: string) => terminal.out(new Content(textOf(name))));
}

/** The stages that a template may name: those of the kind whose template it is, else those of proposals. */
function ladderOf(name: string, kindName: string | undefined): StageLadder {
  if (builtinTemplates.includes(name)) return kepLadder;
  const near = nearestLayout(dirname(name)) ?? layoutOf(dirname(name));
  const { config, layout } = openRepository({ ...(near ? { root: near.root } : {}) });
  const found = config.kinds.find((kind) =>
    kindName === undefined
      ? kind.template !== undefined && resolve(layout.root, kind.template) === resolve(name)
      : kind.name === kindName,
  );
  if (kindName === undefined || found) return found?.ladder ?? kepLadder;
  const known = config.kinds.map((kind) => kind.name).join(', ');
  throw new CommandError(exit.usage, `--kind: there is no kind ${kindName}`, known && `use one of ${known}`);
}

function textOf(name: string): string {
  if (builtinTemplates.includes(name)) return builtinTemplateText(name.slice('builtin:'.length));
  const source = readSource(name, 2 * 1024 * 1024);
  if (source?.text === undefined) {
    throw new CommandError(
      exit.usage,
      `the template ${name} cannot be read`,
      `name a file, or ${builtinTemplates.join(', ')}`,
    );
  }
  return source.text;
}
