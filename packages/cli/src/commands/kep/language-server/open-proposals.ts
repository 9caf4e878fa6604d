import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type FileRole,
  type FoundKep,
  type KepRepository,
  type LoadedKep,
  type OpenKep,
  placeOf,
  singleFile,
} from '@slipway/kep';

/** A file that an editor has open, as part of a proposal. */
export interface OpenFile {
  readonly uri: string;
  readonly role: FileRole;
  readonly found: FoundKep;
}

/** A proposal as an editor has it, with the addresses of its files. */
export interface EditedKep {
  readonly kep: OpenKep;
  readonly loaded: LoadedKep;
  readonly repository: KepRepository;
  uriOf(role: FileRole): string | undefined;
}

/**
 * The proposals whose files an editor has open: what was typed so far lies over what the disk has. The
 * rules run at most once for each state of a proposal.
 */
export class OpenProposals {
  readonly #repositoryFor: (path: string) => KepRepository;
  readonly #textOf: (uri: string) => string | undefined;
  readonly #repositories = new Map<string, KepRepository>();
  readonly #read = new Map<string, EditedKep>();

  /** `textOf` gives what an editor has of a file, and undefined for files that it has not open. */
  constructor(repositoryFor: (path: string) => KepRepository, textOf: (uri: string) => string | undefined) {
    this.#repositoryFor = repositoryFor;
    this.#textOf = textOf;
  }

  /** What a file is of which proposal; undefined for files that are none of ours. */
  fileAt(uri: string): OpenFile | undefined {
    if (!uri.startsWith('file:')) return undefined;
    const path = fileURLToPath(uri);
    const name = basename(path);
    const folder = dirname(path);
    const repository = this.#repositoryAt(folder);
    const { root, keps } = repository.layout;
    const declared = declaredAt(repository, path);
    if (declared) return { uri, ...declared };
    if (name === 'kep.yaml') return { uri, role: 'yaml', found: placeOf(folder, root, keps) };
    if (/\.ya?ml$/.test(name)) {
      const found = folder.includes('prod-readiness') ? proposalOf(repository, path) : undefined;
      return found && { uri, role: 'approval', found };
    }
    if (!name.endsWith('.md')) return undefined;
    const isWhole = name === 'README.md' && existsSync(join(folder, 'kep.yaml'));
    return { uri, role: 'readme', found: isWhole ? placeOf(folder, root, keps) : singleFile(path, root) };
  }

  /** The proposal of a file with the findings of its present state. */
  kepOf({ found }: OpenFile): EditedKep {
    const known = this.#read.get(keyOf(found));
    if (known) return known;
    const repository = this.#repositoryAt(found.path);
    const uriOf = urisOf(repository, found);
    const texts = new Map<FileRole, string>();
    for (const role of ['readme', 'yaml', 'approval'] as const) {
      const uri = uriOf(role);
      const text = uri === undefined ? undefined : this.#textOf(uri);
      if (text !== undefined) texts.set(role, text);
    }
    const loaded = repository.withTexts(repository.load(found), texts);
    const facts = repository.facts(loaded);
    const read = { kep: { facts, findings: repository.check(facts, loaded) }, loaded, repository, uriOf };
    this.#read.set(keyOf(found), read);
    return read;
  }

  /** A file was typed into: what was read of its proposal no longer holds. */
  changed({ found }: OpenFile): void {
    this.#read.delete(keyOf(found));
  }

  /** Files on disk changed: nothing that was read holds any longer. */
  forget(): void {
    this.#repositories.clear();
    this.#read.clear();
  }

  #repositoryAt(folder: string): KepRepository {
    const known = this.#repositories.get(folder);
    if (known) return known;
    const opened = this.#repositoryFor(folder);
    const same = [...this.#repositories.values()].find(({ layout }) => layout.root === opened.layout.root);
    this.#repositories.set(folder, same ?? opened);
    return same ?? opened;
  }
}

/** A document of a declared kind that has its text or its metadata in a file. */
function declaredAt(repository: KepRepository, path: string): Omit<OpenFile, 'uri'> | undefined {
  const { layout, config } = repository;
  const found = repository.documentAt(relative(layout.root, path).split(sep).join('/'));
  if (found) return { role: 'readme', found };
  if (!config.kinds.some(({ metadataFile }) => metadataFile === basename(path))) return undefined;
  const beside = repository
    .keps()
    .find((kep) => kep.path === dirname(path) && repository.kindOf(kep)?.metadataFile === basename(path));
  return beside && { role: 'yaml', found: beside };
}

function keyOf({ file, path }: FoundKep): string {
  return file ?? path;
}

function proposalOf(repository: KepRepository, approval: string): FoundKep | undefined {
  const number = Number(/^(\d+)\.ya?ml$/.exec(basename(approval))?.[1]);
  return repository.keps().find((found) => {
    if (Number(found.number) !== number) return false;
    const { approvalPath } = repository.load(found);
    return approvalPath !== undefined && resolve(repository.layout.root, approvalPath) === approval;
  });
}

function urisOf(repository: KepRepository, found: FoundKep): (role: FileRole) => string | undefined {
  return (role) => {
    const side = repository.kindOf(found)?.metadataFile;
    if (role === 'yaml' && side !== undefined) return pathToFileURL(join(found.path, side)).href;
    if (found.file) return role === 'readme' ? pathToFileURL(found.file).href : undefined;
    if (role === 'approval') {
      const { approvalPath } = repository.load(found);
      return approvalPath && pathToFileURL(join(repository.layout.root, approvalPath)).href;
    }
    return pathToFileURL(join(found.path, role === 'readme' ? 'README.md' : 'kep.yaml')).href;
  };
}
