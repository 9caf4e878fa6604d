import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type KepRepository, minorOf, writeWhole } from '@slipway/kep';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { expectShortRun } from '../../runtime/short-run.js';
import { openRepository, type RepositoryOptions, someKeps, withRepository } from './open-repository.js';
import { sourceAddress } from './source-address.js';

interface Options extends RepositoryOptions {
  readonly out: string;
  readonly release?: string;
  readonly source?: string;
  readonly format: Format;
}

/** The file by which a folder is known to hold a site, so that another folder is not written over by mistake. */
const mark = 'keps.json';
const maxPictureBytes = 8 * 1024 * 1024;

/** `slipway kep site`. */
export function site({ terminal, signal }: Invocation): Command {
  return withRepository(
    newCommand('site', 'Write web pages: a board of stages, a page for each proposal, releases, a timeline', [
      'slipway kep site --out public',
      'slipway kep site --out public --release v1.34',
      'slipway kep site --out public --source https://github.com/OWNER/REPOSITORY/blob/main',
    ]),
  )
    .requiredOption('--out <dir>', 'folder for the pages; it is made when it is not there')
    .option(
      '--release <release>',
      'the release that is out (default: the one before policy.release, or the newest that implemented proposals came with)',
    )
    .option(
      '--source <url>',
      'address below which the files are read on the web (default: GitHub, where the git remote "origin" is there)',
    )
    .addOption(outcomeOption())
    .action(async (options: Options) => {
      // Other verbs render no Markdown, and do not load what does.
      const pages = await import('@slipway/kep/site');
      expectShortRun();
      const repository = openRepository(options);
      refuseForeign(options.out);
      const sourceOf = await sourceAddress(repository.layout.root, options.source, signal);
      const keps = someKeps(repository).map((found) => {
        signal.throwIfAborted();
        const kep = repository.load(found);
        const facts = repository.facts(kep);
        return pages.siteKep(facts, repository.check(facts, kep), found.directory);
      });
      const { root } = repository.layout;
      const exists = (path: string) => isSmallFile(join(root, path));
      const { files, assets } = pages.renderSite(keps, {
        exists,
        ...(sourceOf && { sourceOf }),
        current: currentOf(options.release, repository, () => pages.releaseOf(keps)),
      });
      for (const [path, text] of files) writeBelow(options.out, path, (to) => writeWhole(to, text));
      for (const { from, to } of assets) writeBelow(options.out, to, (path) => copyFileSync(join(root, from), path));
      const text = `${join(options.out, 'index.html')}: ${keps.length} ${keps.length === 1 ? 'proposal' : 'proposals'}, ${files.size + assets.length} files\n`;
      const written = {
        version: 1,
        out: options.out,
        keps: keps.length,
        files: [...files.keys()],
        pictures: assets.length,
      };
      terminal.out(renderOutcome(options.format, text, written));
    });
}

function currentOf(release: string | undefined, { config }: KepRepository, newest: () => number): number {
  if (release === undefined) return config.release === undefined ? newest() : config.release - 1;
  const minor = minorOf(release);
  if (minor === undefined)
    throw new CommandError(exit.usage, `--release: ${release} is not a release`, 'write for example v1.34');
  return minor;
}

/** Does not write into a directory with other files. */
function refuseForeign(out: string): void {
  if (!existsSync(out)) return;
  if (!lstatSync(out).isDirectory())
    throw new CommandError(
      exit.usage,
      `--out: ${out} is not a directory`,
      'name a directory, or one that does not exist yet',
    );
  const names = readdirSync(out).filter((name) => !name.startsWith('.'));
  if (names.length > 0 && !names.includes(mark))
    throw new CommandError(exit.usage, `--out: ${out} holds other files`, 'name an empty folder');
}

function writeBelow(out: string, path: string, write: (path: string) => void): void {
  const at = join(out, path);
  mkdirSync(dirname(at), { recursive: true });
  write(at);
}

function isSmallFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= maxPictureBytes;
}
