import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  type CheckConfig,
  ConfigError,
  defaultConfig,
  type FoundKep,
  findKeps,
  KepRepository,
  kepLadder,
  type Layout,
  layoutOf,
  nearestLayout,
  placeOf,
  readConfig,
  readSource,
  ruleNamed,
  type Stage,
  singleFile,
  stageNamed,
  stages,
} from '@slipway/kep';
import type { Command } from 'commander';
import { CommandError, exit } from '../../runtime/exit.js';
import { textOfCommit } from './changed-paths.js';

/** The flags of every command that reads proposals. */
export interface RepositoryOptions {
  readonly root?: string;
  readonly config?: string;
  readonly template?: string;
  readonly rule?: readonly string[];
  /** The commit whose policy counts: what a branch changes of it counts once it is merged. */
  readonly since?: string;
}

/** Adds the flags that say where the proposals are. */
export function withRepository(command: Command): Command {
  return command
    .option('--root <dir>', 'checkout with a keps folder (default: the nearest one)')
    .option('--config <file>', 'configuration (default: .slipway/kep.yaml of the checkout or of its keps folder)')
    .option('--template <name>', 'template to check proposals against: builtin:2026.1, or a file');
}

/** Opens a checkout. @throws CommandError for what cannot be read, with exit code 2 */
export function openRepository(options: RepositoryOptions, near = '.'): KepRepository {
  const folder = /\.(?:md|ya?ml)$/.test(near) ? dirname(near) : near;
  const layout = options.root === undefined ? (nearestLayout(folder) ?? layoutOf(folder)) : layoutOf(options.root);
  if (!layout)
    throw new CommandError(exit.usage, `${options.root ?? near} is not a directory`, 'name a checkout with --root DIR');
  try {
    const policy = policyOf(layout, options);
    const read = configOf(layout, options.config, policy);
    const only = options.rule && new Set(options.rule.map(ruleNamed));
    const today = new Date().toISOString().slice(0, 10);
    const config = { ...read, only, today, ...(options.template ? { template: options.template } : {}) };
    return new KepRepository(layout, config, policy);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof RangeError) {
      const hint = error instanceof ConfigError ? error.hint : undefined;
      throw new CommandError(exit.usage, error.message, hint ?? 'look at docs/reference/rules', { cause: error });
    }
    throw error;
  }
}

/** Reads files of the policy at the commit that changes are counted from; undefined when the working tree counts. */
export function policyOf(
  { root }: Layout,
  { since, config }: RepositoryOptions,
): ((path: string) => string | undefined) | undefined {
  return since === undefined || config !== undefined ? undefined : (path) => textOfCommit(root, since, path);
}

function configOf(
  layout: Layout,
  file: string | undefined,
  policy: ((path: string) => string | undefined) | undefined,
): CheckConfig {
  if (policy) {
    const folders = [layout.root, layout.keps].map((at) => relative(layout.root, join(at, '.slipway/kep.yaml')));
    const text = folders.map((path) => policy(path.split(sep).join('/'))).find((each) => each !== undefined);
    return text === undefined ? defaultConfig : readConfig(text);
  }
  const paths = file === undefined ? [layout.root, layout.keps].map((at) => join(at, '.slipway/kep.yaml')) : [file];
  const sources = paths.map((path) => ({ path, source: readSource(path, 1024 * 1024) }));
  const given = sources.find(({ source }) => source !== undefined);
  if (given?.source?.text === undefined) {
    if (file !== undefined) throw new CommandError(exit.usage, `${file} cannot be read`, 'name a file with --config');
    return defaultConfig;
  }
  return readConfig(given.source.text, relative(layout.root, given.path) || given.path);
}

/**
 * The proposals that were named: by path, by number, or as `group/number`. None named means all.
 * @throws CommandError for a name that means none
 */
export function targets(repository: KepRepository, names: readonly string[]): readonly FoundKep[] {
  if (names.length === 0) return repository.keps();
  const found = new Map<string, FoundKep>();
  for (const name of names) for (const kep of named(repository, name)) found.set(kep.path, kep);
  return [...found.values()];
}

/** All proposals of a checkout. @throws CommandError when there is none, which is never what was meant */
export function someKeps(repository: KepRepository): readonly FoundKep[] {
  const keps = repository.keps();
  if (keps.length > 0) return keps;
  const { config, layout } = repository;
  const where = [
    ...(config.hasKeps ? [layout.keps] : []),
    ...config.kinds.map(({ files }) => join(layout.root, files.text)),
  ];
  throw new CommandError(
    exit.usage,
    `there is no proposal below ${where.join(', ')}`,
    'name a checkout with --root DIR',
  );
}

/** The one proposal that a name means. @throws CommandError when it means none or several */
export function oneTarget(repository: KepRepository, name: string): FoundKep {
  const [kep, other] = named(repository, name);
  if (!kep) throw noSuchKep(name);
  if (other)
    throw new CommandError(exit.usage, `${name} means ${kep.directory} and ${other.directory}`, 'name one by its path');
  return kep;
}

function named(repository: KepRepository, name: string): readonly FoundKep[] {
  const { layout } = repository;
  const number = /^(?:([\w-]+)\/)?(\d{1,6})$/.exec(name);
  if (number && !existsSync(name)) {
    const [, group, digits] = number;
    const matching = repository
      .keps()
      .filter((kep) => Number(kep.number) === Number(digits) && (group === undefined || kep.group === group));
    if (matching.length === 0) throw noSuchKep(name);
    return matching;
  }
  const path = resolve(name);
  if (!existsSync(path)) throw noSuchKep(name);
  const declared = repository.documentAt(relative(layout.root, path).split(sep).join('/'));
  if (declared) return [declared];
  // Listing all proposals takes longer than checking one.
  const all = repository.config.kinds.length > 0 ? repository.keps() : [];
  const inside = all.filter(({ file, kind }) => kind !== undefined && file?.startsWith(path + sep));
  if (inside.length > 0) return inside;
  if (/\.md$/.test(path) && basename(path) !== 'README.md') return [singleFile(path, layout.root)];
  if (/\.md$/.test(path) && !existsSync(join(dirname(path), 'kep.yaml'))) return [singleFile(path, layout.root)];
  if (/\.(?:md|ya?ml)$/.test(path)) return [placeOf(dirname(path), layout.root, layout.keps)];
  const below = findKeps(layout, path);
  if (below.length === 0) throw noSuchKep(name);
  return below;
}

function noSuchKep(name: string): CommandError {
  return new CommandError(
    exit.usage,
    `there is no KEP ${name}`,
    'name a folder, a file or a number; slipway kep list shows all',
  );
}

/** The one proposal of Kubernetes that a name means. @throws CommandError also for documents of other kinds */
export function oneKep(repository: KepRepository, name: string): FoundKep {
  const found = oneTarget(repository, name);
  if (found.kind === undefined) return found;
  const message = `${found.directory} is a document of kind ${found.kind}; this is for proposals of Kubernetes`;
  throw new CommandError(exit.usage, message, `slipway kep check ${name}`);
}

/** A stage of `kep.yaml` as typed. @throws CommandError for others */
export function kepStageOf(text: string | undefined): Stage | undefined {
  if (text === undefined) return undefined;
  const stage = text === 'ga' ? 'stable' : text;
  if (stage === 'draft' || (stages as readonly string[]).includes(stage)) return stage as Stage;
  throw new CommandError(exit.usage, `--stage: ${text} is not a stage`, `use one of draft, ${stages.join(', ')}`);
}

/** A stage as typed, of proposals or of a kind that the configuration declares. @throws CommandError for others */
export function stageOf(text: string | undefined, { config }: KepRepository): string | undefined {
  if (text === undefined) return undefined;
  const ladders = [...(config.hasKeps ? [kepLadder] : []), ...config.kinds.map(({ ladder }) => ladder)];
  for (const ladder of ladders) if (ladder.ranks.has(text)) return text;
  const named = ladders.map((ladder) => stageNamed(text, ladder)).find((stage) => stage !== undefined);
  if (named !== undefined) return named;
  const known = [...new Set(ladders.flatMap(({ ranks }) => [...ranks.keys()]))].filter((stage) => stage !== '');
  const hint =
    known.length > 0 ? `use one of ${known.join(', ')}` : 'no kind of document of this repository has stages';
  throw new CommandError(exit.usage, `--stage: ${text} is not a stage`, hint);
}
