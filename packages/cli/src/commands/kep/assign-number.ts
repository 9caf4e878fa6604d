import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { applyEdits, type KepRepository, readKepYaml, readSource, setField, writeWhole } from '@slipway/kep';
import { CommandError, exit } from '../../runtime/exit.js';

const maxBytes = 2 * 1024 * 1024;

/**
 * Gives a proposal that was begun as `NNNN-slug` its number: in the name of its folder, its title and its
 * metadata, and in the texts of other proposals that link it. Returns the paths that were written, relative
 * to the root. @throws CommandError when there is no such proposal, or one with the number
 */
export function assignNumber(
  repository: KepRepository,
  group: string,
  slug: string,
  number: string,
): readonly string[] {
  const { root, keps } = repository.layout;
  const from = join(keps, group, `NNNN-${slug}`);
  const to = join(keps, group, `${number}-${slug}`);
  const text = readSource(join(from, 'README.md'), maxBytes)?.text;
  const yaml = readSource(join(from, 'kep.yaml'), maxBytes)?.text;
  if (text === undefined || yaml === undefined)
    throw new CommandError(exit.usage, `there is no ${from}`, `slipway kep new ${group}/${slug} begins it`);
  const [other] = repository.keps().filter((kep) => Number(kep.number) === Number(number));
  if (other)
    throw new CommandError(exit.no, `${other.directory} has number ${number}`, 'use that of its tracking issue');

  writeWhole(join(from, 'README.md'), text.replace(/^(#\s+KEP-)NNNN\b/m, `$1${number}`));
  const metadata = readKepYaml(yaml);
  writeWhole(join(from, 'kep.yaml'), applyEdits(yaml, [setField(metadata, 'kep-number', number)]));
  renameSync(from, to);
  const pathOf = (path: string) => relative(root, path).split(sep).join('/');
  return [
    pathOf(join(to, 'README.md')),
    pathOf(join(to, 'kep.yaml')),
    ...relinked(repository, basename(from), to).map(pathOf),
  ];
}

/** Texts of proposals that name the old folder get the name of the new one. */
function relinked({ layout }: KepRepository, old: string, folder: string): readonly string[] {
  const files = readdirSync(layout.keps, { withFileTypes: true, recursive: true }).filter(
    (entry) => entry.isFile() && /\.(?:md|ya?ml)$/.test(entry.name),
  );
  return files.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const text = readSource(path, maxBytes)?.text;
    if (!text?.includes(`/${old}`) || dirname(path) === folder) return [];
    writeWhole(path, text.replaceAll(`/${old}`, `/${basename(folder)}`));
    return [path];
  });
}
