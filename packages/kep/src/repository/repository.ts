import { readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Baseline } from '../check/baseline.js';
import { checkKep } from '../check/check-kep.js';
import type { CheckConfig } from '../check/config.js';
import type { Finding } from '../check/finding.js';
import { parseDocument } from '../document/document.js';
import { type EvidenceFile, readEvidence } from '../evidence/evidence.js';
import { gatherFacts } from '../facts/facts.js';
import { gatherDeclared } from '../facts/gather-declared.js';
import type { FileRole, KepFacts, RepositoryFacts, UnreadableFile } from '../facts/rule.js';
import type { DocumentKind } from '../kinds/document-kind.js';
import { type Approval, readApproval } from '../metadata/approval.js';
import { type KepYaml, maxYamlBytes, readKepYaml } from '../metadata/kep-yaml.js';
import { kepLadder, type StageLadder } from '../metadata/stage.js';
import { readTemplate, type Template } from '../template/template.js';
import { DirectoriesByNumber } from './directories-by-number.js';
import { documentAt, findDocuments } from './find-documents.js';
import {
  FolderLists,
  type FoundKep,
  findApprovals,
  findKeps,
  findStrays,
  type Layout,
  type ListFolder,
  within,
} from './find-keps.js';
import { type Groups, groupsOfAliases, groupsOfSigs } from './groups.js';
import { limited, readPassingly, readSource, type Source, sourceOfText, UnreadableError } from './read-source.js';
import { digest, type Look, type LookKey, WatchedDisk } from './watched-disk.js';

/** One proposal with all its files. */
export interface LoadedKep {
  readonly found: FoundKep;
  readonly readme: Source | undefined;
  readonly yaml: KepYaml | undefined;
  readonly approval: Approval | undefined;
  /** Relative to the root; where the approval is, or would be. */
  readonly approvalPath: string | undefined;
  readonly unreadable: readonly UnreadableFile[];
  readonly evidence: readonly EvidenceFile[];
}

/** Of larger metadata nothing is read; that of more than `maxYamlBytes` is a finding. */
const maxMetadataBytes = 4 * maxYamlBytes;
const maxEvidenceBytes = 256 * 1024;
const templates = new URL('../../templates/', import.meta.url);

/** The template that comes with this package. */
export function builtinTemplateText(version = '2026.1'): string {
  return readFileSync(fileURLToPath(new URL(`${version}.md`, templates)), 'utf8');
}

/** Names of the templates that come with this package. */
export const builtinTemplates: readonly string[] = ['builtin:2026.1'];

/** A checkout with proposals. Reads files when asked, opens no connection, and follows no link. */
export class KepRepository {
  readonly layout: Layout;
  readonly config: CheckConfig;
  /** The template of proposals of Kubernetes. */
  readonly template: Template;
  /** Through which the files of proposals are read, and what they point to. */
  readonly disk = new WatchedDisk((folder) => this.#lists.namesIn(folder));
  readonly #groups: Groups;
  readonly #templates: ReadonlyMap<string, Template>;
  /** The folder of production readiness files, relative to the root with `/`. */
  readonly #approvals: string;
  /** Of the proposals that were read already. */
  readonly #approvalPaths = new Map<string, string | undefined>();
  readonly #lists = new FolderLists();
  readonly #byNumber = new DirectoriesByNumber({
    isListed: () => this.#all !== undefined,
    all: () => this.keps(),
    listedBy: (list) => this.#found(list),
  });
  #all: readonly FoundKep[] | undefined;

  /**
   * @param policy reads a file that belongs to the policy (template, aliases, groups) from elsewhere than the working tree; paths are relative to
   *   the root, and what it does not have is undefined
   * @throws RangeError when the template of the configuration cannot be read
   */
  constructor(layout: Layout, config: CheckConfig, policy?: (path: string) => string | undefined) {
    this.layout = layout;
    this.config = config;
    this.#approvals = relative(layout.root, join(layout.keps, 'prod-readiness')).split(sep).join('/');
    this.template = templateOf(layout, config.template, kepLadder, policy);
    this.#templates = new Map(
      config.kinds.map(({ name, template, ladder }) => [
        name,
        template === undefined ? readTemplate('', name, ladder) : templateOf(layout, template, ladder, policy),
      ]),
    );
    this.#groups = groupsOf(layout, config, policy);
  }

  /** The groups that the checkout lists; undefined when it lists none. */
  get groups(): ReadonlySet<string> | undefined {
    return this.#groups.groups;
  }

  /** All proposals of the checkout, and all documents of the kinds that the configuration declares. */
  keps(): readonly FoundKep[] {
    this.#all ??= this.#found(this.#lists.list);
    return this.#all;
  }

  #found(listKeps: ListFolder): readonly FoundKep[] {
    const { layout, config } = this;
    return [
      ...(config.hasKeps ? findKeps(layout, layout.keps, listKeps) : []),
      ...config.kinds.flatMap((kind) => findDocuments(kind, layout.root, this.#lists.list)),
    ];
  }

  /** A path, relative to the root with `/`, as a document of a declared kind, whether there is such a file or not. */
  documentAt(path: string): FoundKep | undefined {
    for (const kind of this.config.kinds) {
      const found = documentAt(kind, this.layout.root, path);
      if (found) return found;
    }
    return undefined;
  }

  /** The kind of a document; undefined for a proposal of Kubernetes. */
  kindOf({ kind }: FoundKep): DocumentKind | undefined {
    return kind === undefined ? undefined : this.config.kinds.find(({ name }) => name === kind);
  }

  /** The template that a document is held to. */
  templateOf({ kind }: FoundKep): Template {
    return (kind === undefined ? undefined : this.#templates.get(kind)) ?? this.template;
  }

  /**
   * Reads the files of a proposal; what is not there is undefined.
   * @param bytesOf reads a file from elsewhere than the disk, such as the index of git; undefined for one that is not there
   */
  load(found: FoundKep, bytesOf?: (path: string) => Uint8Array | undefined): LoadedKep {
    const unreadable: UnreadableFile[] = [];
    if (found.unreadable !== undefined || found.isStray) {
      const nothing = {
        readme: undefined,
        yaml: undefined,
        approval: undefined,
        approvalPath: undefined,
        evidence: [],
      };
      const { unreadable: reason } = found;
      return { found, ...nothing, unreadable: reason === undefined ? [] : [{ file: 'readme', reason }] };
    }
    const attempt = <T>(file: FileRole, work: () => T): T | undefined => {
      try {
        return work();
      } catch (error) {
        unreadable.push({ file, reason: error instanceof UnreadableError ? error.reason : String(error) });
        return undefined;
      }
    };
    const read = (file: FileRole, path: string, limitBytes: number) =>
      attempt(file, () => {
        if (!bytesOf) return this.disk.read(path, limitBytes);
        const bytes = bytesOf(path);
        return bytes && limited(bytes, limitBytes);
      });
    const readme = found.approvalOnly
      ? undefined
      : read('readme', found.file ?? within(found.path, 'README.md'), this.config.readmeBytes);
    const rest = { found, readme, unreadable };
    const side = this.kindOf(found)?.metadataFile;
    if (side !== undefined) {
      const text = read('yaml', join(found.path, side), maxMetadataBytes)?.text;
      const yaml = text === undefined ? undefined : attempt('yaml', () => readKepYaml(text));
      return { ...rest, yaml, approval: undefined, approvalPath: undefined, evidence: [] };
    }
    if (found.file) return { ...rest, yaml: undefined, approval: undefined, approvalPath: undefined, evidence: [] };
    if (found.approvalOnly) {
      const text = read('approval', found.path, maxYamlBytes)?.text;
      const approval = text === undefined ? undefined : attempt('approval', () => readApproval(text));
      return { ...rest, yaml: undefined, approval, approvalPath: found.directory, evidence: [] };
    }
    const yaml = read('yaml', within(found.path, 'kep.yaml'), maxMetadataBytes)?.text;
    const kepYaml = yaml === undefined ? undefined : attempt('yaml', () => readKepYaml(yaml));
    const group = kepYaml?.one('owning-sig')?.value ?? found.group;
    const number = kepYaml?.one('kep-number')?.value ?? found.number;
    const isPath = group !== undefined && number !== undefined && /^[\w-]+$/.test(group) && /^\d+$/.test(number);
    const approvalPath = isPath ? `${this.#approvals}/${group}/${number}.yaml` : undefined;
    this.#approvalPaths.set(found.directory, approvalPath);
    const text = approvalPath && read('approval', within(this.layout.root, approvalPath), maxYamlBytes)?.text;
    const approval = text ? attempt('approval', () => readApproval(text)) : undefined;
    const evidence = attempt('readme', () => this.#evidenceIn(found.path)) ?? [];
    return { found, readme, unreadable, yaml: kepYaml, approval, approvalPath, evidence };
  }

  /** The same proposal with other texts, without writing them. */
  withTexts(kep: LoadedKep, texts: ReadonlyMap<FileRole, string>): LoadedKep {
    const readme = texts.get('readme');
    const yaml = texts.get('yaml');
    const approval = texts.get('approval');
    return {
      ...kep,
      readme: readme === undefined ? kep.readme : sourceOfText(readme, this.config.readmeBytes),
      yaml: yaml === undefined ? kep.yaml : readKepYaml(yaml),
      approval: approval === undefined ? kep.approval : readApproval(approval),
    };
  }

  /** Production readiness files and READMEs that belong to no proposal, as proposals of which nothing else is there. */
  orphans(): readonly FoundKep[] {
    if (!this.config.hasKeps) return [];
    const taken = new Set(
      this.keps().map((found) =>
        found.kind !== undefined || this.#approvalPaths.has(found.directory)
          ? this.#approvalPaths.get(found.directory)
          : this.load(found).approvalPath,
      ),
    );
    const known = new Set(this.keps().map(({ directory }) => directory));
    return [
      ...findApprovals(this.layout).filter(({ directory }) => !taken.has(directory)),
      ...findStrays(this.layout, this.#lists.list).filter(({ directory }) => !known.has(directory)),
    ];
  }

  /** What the rules look at. `before` is the README to compare with. */
  facts(kep: LoadedKep, stage?: string, before?: string): KepFacts {
    const unreadable = [...kep.unreadable];
    const parsed = (text: string | undefined) => {
      try {
        return text === undefined ? undefined : parseDocument(text);
      } catch (error) {
        unreadable.push({ file: 'readme', reason: String(error) });
        return undefined;
      }
    };
    const document = parsed(kep.readme?.text);
    const kind = this.kindOf(kep.found);
    if (kind) {
      const { directory, group, number } = kep.found;
      return gatherDeclared({
        kind,
        path: directory,
        document,
        source: kep.readme,
        side: kep.yaml,
        place: { directory: dirname(directory), group, number },
        template: this.templateOf(kep.found),
        repository: this.#factsOf(kind.name),
        unreadable,
        before: parsed(before),
        stage,
      });
    }
    return gatherFacts({
      document,
      source: kep.readme,
      yaml: kep.yaml,
      approval: kep.approval,
      approvalPath: kep.approvalPath,
      isStray: kep.found.isStray === true,
      place: isWhole(kep.found) ? kep.found : undefined,
      unreadable,
      evidence: kep.evidence,
      before: parsed(before),
      template: this.template,
      repository: this.#factsOf(undefined),
      stage,
    });
  }

  /** Holds a proposal to the rules. */
  check(facts: KepFacts, kep: LoadedKep, baseline?: Baseline): Finding[] {
    const { directory } = kep.found;
    const side = this.kindOf(kep.found)?.metadataFile;
    const paths = {
      kep: directory,
      readme: kep.found.file || kep.found.unreadable ? directory : `${directory}/README.md`,
      yaml: side === undefined ? `${directory}/kep.yaml` : posix.join(dirname(directory), side),
      approval: kep.approvalPath ?? `${directory}/kep.yaml`,
    };
    return checkKep(facts, paths, this.config, baseline);
  }

  /** Changes with whatever results depend on besides the files of the proposals and what these point to. */
  get identity(): string {
    const { layout, config, template } = this;
    // The day matters only to waivers; without this no result would outlive it.
    const decided = config.waivers.length > 0 ? config : { ...config, today: undefined };
    const plain = (_: string, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...value] : value === undefined ? null : value;
    const templates = [template, ...this.#templates.values()].map(({ name, document }) => [name, document.text]);
    return digest(JSON.stringify([layout, decided, templates, this.#groups], plain));
  }

  /** Says what is known already about the approval of a proposal, so that `orphans` need not read it. */
  remember(found: FoundKep, approvalPath: string | undefined): void {
    this.#approvalPaths.set(found.directory, approvalPath);
  }

  #evidenceIn(folder: string): readonly EvidenceFile[] {
    if (!this.disk.has(folder, 'evidence')) return [];
    const files = [...(this.disk.namesIn(join(folder, 'evidence')) ?? [])]
      .filter((name) => name.endsWith('.yaml'))
      .sort();
    return files.flatMap((name) => {
      const text = this.disk.readPassingly(join(folder, 'evidence', name), maxEvidenceBytes);
      return text === undefined ? [] : [readEvidence(name, text)];
    });
  }

  #factsOf(kind: string | undefined): RepositoryFacts {
    return {
      profiles: this.config.profiles,
      release: this.config.release,
      members: (alias) => this.#groups.members.get(alias),
      ownersIn: (directory) => this.disk.readPassingly(join(this.layout.root, directory, 'OWNERS'), maxYamlBytes),
      groups: this.#groups.groups,
      approvers: this.#groups.approvers,
      components: new Set(this.config.components),
      exists: (path) => this.#has(path),
      sameNumber: (number) => this.sameNumber(number, kind),
      statusOf: (directory) => {
        const yaml = this.disk.readPassingly(within(join(this.layout.root, directory), 'kep.yaml'), maxMetadataBytes);
        // One line of a file that is not looked at otherwise; reading all of it costs a hundred times as much.
        return /^status:[ \t]*["']?([a-z]+)/m.exec(yaml ?? '')?.[1];
      },
    };
  }

  /** Looks folder by folder, so that letters in the wrong case are missed as on a server they would be. */
  #has(path: string): boolean {
    let folder = this.layout.root;
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue;
      if (!this.disk.has(folder, part)) return false;
      folder = within(folder, part);
    }
    return true;
  }

  /** What a list of the checkout says of something that was looked at in an earlier run; undefined when none tells. */
  listedLook(key: LookKey): Look | undefined {
    const [, number, kind] = /^number (\S*)(?: (\S+))?$/.exec(key) ?? [];
    if (number === undefined) return this.disk.listedLook(key);
    return { state: numberState(this.sameNumber(number, kind)), stamp: undefined };
  }

  /** Directories of the proposals with a number, or paths of the documents of a declared kind. */
  sameNumber(number: string, kind?: string): readonly string[] {
    const found = this.#byNumber.with(number, kind);
    this.disk.note(kind === undefined ? `number ${number}` : `number ${number} ${kind}`, numberState(found));
    return found;
  }
}

/** The directories with a number, as what was looked at for a result. */
function numberState(directories: readonly string[]): string {
  return directories.join('\n');
}

/** Whether a proposal is a folder of its own that could be read. */
function isWhole({ file, approvalOnly, unreadable, isStray }: FoundKep): boolean {
  return file === undefined && !approvalOnly && unreadable === undefined && !isStray;
}

type Policy = ((path: string) => string | undefined) | undefined;

function templateOf(layout: Layout, name: string, ladder: StageLadder, policy: Policy): Template {
  const builtin = /^builtin:(\d{4}\.\d+)$/.exec(name)?.[1];
  if (builtin) {
    if (!builtinTemplates.includes(name))
      throw new RangeError(`there is no template ${name}; there is ${builtinTemplates.join(', ')}`);
    return readTemplate(builtinTemplateText(builtin), name, ladder);
  }
  const decided = policy?.(name);
  if (decided !== undefined) return readTemplate(decided, name, ladder);
  const source = readSource(join(layout.root, name), 2 * 1024 * 1024) ?? readSource(name, 2 * 1024 * 1024);
  if (source?.text === undefined) throw new RangeError(`the template ${name} cannot be read`);
  return readTemplate(source.text, name, ladder);
}

function groupsOf({ root }: Layout, { groups }: CheckConfig, policy: Policy): Groups {
  const textOf = (path: string) => (policy ? policy(path) : readPassingly(join(root, path), 1024 * 1024));
  const aliases = textOf(groups.aliases);
  const known = groupsOfAliases(aliases ?? '');
  const sigs = groups.sigs === undefined ? undefined : textOf(groups.sigs);
  return sigs === undefined ? known : { ...known, groups: groupsOfSigs(sigs) };
}
