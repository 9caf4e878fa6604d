import { builtinTemplates, builtinTemplateText, lintTemplate, readSource, readTemplate } from '@slipway/kep';
import { printableLine } from '@slipway/safe-yaml/printable';
import type { Command } from 'commander';
import { Content, jsonContent } from '../../output/content.js';
import { outputOption } from '../../output/format.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
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
    .addOption(outputOption(['pretty', 'json']))
    .action((name: string, { format }: { format: string }) => {
      const found = lintTemplate(readTemplate(textOf(name), name));
      if (format === 'json') terminal.out(jsonContent({ version: 1, ...found }));
      else {
        for (const { place, severity, rule, message } of found.problems) {
          terminal.out(
            `${`${place.line}:${place.column}`.padEnd(8)} ${severity.padEnd(5)}  ${rule}  ${printableLine(message)}\n`,
          );
        }
        const { alpha, beta, stable } = found.byStage;
        terminal.out(
          `${found.sections} sections: ${found.required} required (${alpha} from alpha, ${beta} from beta, ${stable} from stable), ` +
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
