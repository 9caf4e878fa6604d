import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type KepRepository,
  malformedDirectives,
  minorOf,
  type NewKep,
  nearest,
  newKepYaml,
  newReadme,
  type Template,
} from '@slipway/kep';
import type { Command } from 'commander';
import { Content } from '../../output/content.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand, repeated } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { assignNumber } from './assign-number.js';
import { newDocument } from './new-document.js';
import { openRepository, type RepositoryOptions, withRepository } from './open-repository.js';

interface Options extends RepositoryOptions {
  readonly number?: string;
  readonly title?: string;
  readonly author?: readonly string[];
  readonly approver?: readonly string[];
  readonly milestone?: string;
  readonly gate?: string;
  readonly prrApprover?: string;
  readonly dryRun?: boolean;
  readonly assign?: string;
  readonly format: Format;
}

/** `slipway kep new GROUP/SLUG`. */
export function create({ terminal }: Invocation): Command {
  return withRepository(
    newCommand('new', 'Create a proposal from the template', [
      'slipway kep new sig-node/faster-pulls --number 6001 --author @you',
      'slipway kep new sig-node/faster-pulls --gate FasterPulls:kubelet,kube-apiserver --dry-run',
      'slipway kep new sig-node/faster-pulls --assign 6001',
      'slipway kep new adr/one-queue --title "Use one queue"',
    ]),
  )
    .argument(
      '<group/slug>',
      'owning group, or kind of document that the configuration declares, and a short name, for example sig-node/faster-pulls',
    )
    .option('--number <n>', 'number of the tracking issue (default: NNNN; of other documents: the next one)')
    .option('--title <title>', 'title (default: made from the slug)')
    .option('--author <handle>', 'who writes it; may be repeated', repeated)
    .option('--approver <handle>', 'who approves it; may be repeated', repeated)
    .option('--milestone <release>', 'release that it is meant for')
    .option('--gate <name:components>', 'feature gate with its components')
    .option('--prr-approver <handle>', 'who approves its production readiness')
    .option('--dry-run', 'write nothing, and print what would be written')
    .option('--assign <n>', 'give this number to a proposal that was begun without one')
    .addOption(outcomeOption())
    .action((name: string, options: Options) => {
      const [group = '', slug = '', ...rest] = name.split('/');
      if (!/^[a-z][a-z0-9-]{1,40}$/.test(group) || !/^[a-z0-9-]{1,80}$/.test(slug) || rest.length > 0) {
        throw new CommandError(
          exit.usage,
          `${JSON.stringify(name)} is not GROUP/SLUG`,
          'use small letters, digits and -, for example sig-node/faster-pulls',
        );
      }
      requireNumber('--number', options.number);
      requireNumber('--assign', options.assign);
      if (options.milestone !== undefined && minorOf(options.milestone) === undefined) {
        throw new CommandError(
          exit.usage,
          `--milestone: ${options.milestone} is not a release`,
          'write for example v1.37',
        );
      }
      const repository = openRepository(options);
      const kind = repository.config.kinds.find((each) => each.name === group);
      if (kind) {
        refuseForDeclared(options);
        const title = titleOf(slug, options);
        const today = new Date().toISOString().slice(0, 10);
        const made = newDocument(repository, kind, {
          slug,
          number: options.number,
          title,
          authors: handles(options.author),
          today,
        });
        write(made.number, made.files, options, terminal);
        return;
      }
      requireKeps(repository, group);
      requireGroup(repository, group);
      if (options.assign !== undefined) {
        const written = assignNumber(repository, group, slug, options.assign);
        terminal.out(renderOutcome(options.format, listOf(written), { version: 1, number: options.assign, written }));
        return;
      }
      const kep = kepOf(group, slug, options);
      tellOfMalformed(repository.template, terminal);
      const files = new Map([
        [
          `${repository.layout.keps}/${group}/${kep.number}-${slug}/README.md`,
          newReadme(kep, repository.template.document.text),
        ],
        [`${repository.layout.keps}/${group}/${kep.number}-${slug}/kep.yaml`, newKepYaml(kep)],
      ]);
      if (options.prrApprover && options.number) {
        const approver = JSON.stringify(`@${options.prrApprover.replace(/^@/, '')}`);
        const text = `kep-number: ${kep.number}\nalpha:\n  approver: ${approver}\n`;
        files.set(`${repository.layout.keps}/prod-readiness/${group}/${kep.number}.yaml`, text);
      }
      write(kep.number, files, options, terminal);
    });
}

/** Writes files that are not there yet, and says which; with `--dry-run` prints them instead. @throws CommandError for one that is there */
function write(
  number: string,
  files: ReadonlyMap<string, string>,
  options: Options,
  terminal: Invocation['terminal'],
): void {
  for (const path of files.keys()) {
    if (existsSync(path)) throw new CommandError(exit.no, `${path} is there already`, 'choose another slug or number');
  }
  if (!options.dryRun) {
    for (const [path, text] of files) {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, text, { flag: 'wx' });
    }
  }
  const written = [...files.keys()];
  const shown = options.dryRun
    ? new Content([...files].map(([path, text]) => `--- ${path}\n${text}`).join(''))
    : listOf(written);
  const document = options.dryRun
    ? { version: 1, number, written: [], files: Object.fromEntries(files) }
    : { version: 1, number, written };
  terminal.out(renderOutcome(options.format, shown, document));
}

/** @throws CommandError for flags that say something about proposals of Kubernetes only */
function refuseForDeclared(options: Options): void {
  const flags = {
    approver: '--approver',
    milestone: '--milestone',
    gate: '--gate',
    prrApprover: '--prr-approver',
    assign: '--assign',
  };
  for (const [name, flag] of Object.entries(flags)) {
    if (options[name as keyof typeof flags] !== undefined)
      throw new CommandError(exit.usage, `${flag} is for proposals of Kubernetes`, 'leave it out');
  }
}

/** @throws CommandError when the repository has only documents of declared kinds */
function requireKeps({ config }: KepRepository, group: string): void {
  if (config.hasKeps) return;
  const kinds = config.kinds.map(({ name }) => name).join(', ');
  throw new CommandError(exit.usage, `there is no kind of document ${group}`, `use one of ${kinds}`);
}

/** What is wrong with a template is for its owner to mend: the proposal is written as it was meant. */
function tellOfMalformed({ name, document }: Template, terminal: Invocation['terminal']): void {
  const lines = malformedDirectives(document).map(({ start }) => document.lines.place(start).line);
  if (lines.length === 0) return;
  const where = `line${lines.length === 1 ? '' : 's'} ${lines.join(', ')}`;
  terminal.err(
    `the template ${name} has directives that do not end with "-->" (${where}); they are written with it\nTo fix: slipway kep template lint ${name}\n`,
  );
}

/** @throws CommandError for a group that the checkout does not list; one that lists none has any */
function requireGroup(repository: KepRepository, group: string): void {
  const { groups } = repository;
  if (!groups || groups.has(group)) return;
  const near = nearest(group, groups);
  const hint = near ? `did you mean ${near}?` : 'name one that OWNERS_ALIASES or sigs.yaml of the checkout lists';
  throw new CommandError(exit.usage, `there is no group ${group}`, hint);
}

function requireNumber(flag: string, text: string | undefined): void {
  if (text === undefined || /^\d{1,6}$/.test(text)) return;
  throw new CommandError(exit.usage, `${flag}: ${text} is not a number`, 'use the number of the tracking issue');
}

function listOf(paths: readonly string[]): string {
  return paths.map((path) => `${path}\n`).join('');
}

function handles(names: readonly string[] | undefined): readonly string[] {
  return (names ?? []).map((text) => `@${text.replace(/^@/, '')}`);
}

/** The title as given, or made from the slug. */
function titleOf(slug: string, { title }: Options): string {
  const words = slug.replaceAll('-', ' ').trim();
  return (title ?? words.charAt(0).toUpperCase() + words.slice(1)).replace(/\s+/g, ' ');
}

function kepOf(group: string, slug: string, options: Options): NewKep {
  const [gate, components] = options.gate?.split(':') ?? [];
  if (gate !== undefined && (!/^[A-Z][A-Za-z0-9]*$/.test(gate) || !components)) {
    throw new CommandError(
      exit.usage,
      `--gate: ${options.gate} is not the name of a gate`,
      'write for example --gate FasterPulls:kubelet',
    );
  }
  return {
    group,
    slug,
    number: options.number ?? 'NNNN',
    title: titleOf(slug, options),
    authors: handles(options.author),
    approvers: handles(options.approver),
    milestone: options.milestone && `v1.${minorOf(options.milestone)}`,
    gate: gate === undefined ? undefined : { name: gate, components: components?.split(',') ?? [] },
    today: new Date().toISOString().slice(0, 10),
  };
}
