import type { KepDocument } from '../document/document.js';
import type { Span } from '../document/lines.js';
import type { Section } from '../document/sections.js';
import type { EvidenceFile } from '../evidence/evidence.js';
import type { Severity } from '../kinds/severity.js';
import type { Approval } from '../metadata/approval.js';
import type { Edit } from '../metadata/edit.js';
import type { KepYaml } from '../metadata/kep-yaml.js';
import type { Assessed } from '../template/assess.js';
import type { Template } from '../template/template.js';
import type { DeclaredFacts } from './declared-facts.js';

/** How far a proposal is held to the rules: `draft` is provisional, `frozen` is closed without being built. */
export type Phase = 'draft' | 'gated' | 'frozen';

/** The file of a proposal that a finding points into. */
export type FileRole = 'readme' | 'yaml' | 'approval';

/** How the bytes of the README were, before they became text. */
export interface SourceFacts {
  readonly bytes: number;
  readonly limitBytes: number;
  /** Offset, in the decoded text, of the first byte that is no UTF-8. */
  readonly invalidAt: number | undefined;
  readonly encoding: 'utf-8' | 'utf-16';
}

/** Where a proposal lies: `keps/<group>/<number>-<slug>`. */
export interface PlaceFacts {
  /** Relative to the root of the repository, with `/`. */
  readonly directory: string;
  /** First folder below `keps/`; undefined when the proposals lie directly there. */
  readonly group: string | undefined;
  /** What the folder's name begins with; undefined when that is not a number. */
  readonly number: string | undefined;
}

/** What the rest of the repository says. Asked for only by the rules that need it. */
export interface RepositoryFacts {
  /** Known groups; undefined when unknown. */
  readonly groups: ReadonlySet<string> | undefined;
  /**
   * Handles without `@` that may approve production readiness, in the case in which they are listed; undefined when
   * unknown.
   */
  readonly approvers: ReadonlySet<string> | undefined;
  readonly components: ReadonlySet<string>;
  /** Whether a path relative to the root of the repository exists. */
  exists(path: string): boolean;
  /** Directories of other proposals with this number. */
  sameNumber(number: string): readonly string[];
  /** Status of the proposal in a directory; undefined when there is none. */
  statusOf(directory: string): string | undefined;
  /** Sets of rules that the repository asks for besides the general ones. */
  readonly profiles: ReadonlySet<string>;
  /** Minor version of the release that is being worked on; undefined when the configuration does not say. */
  readonly release: number | undefined;
  /** Members of an alias of OWNERS_ALIASES, in lower case without `@`; undefined when there is no such alias. */
  members(alias: string): ReadonlySet<string> | undefined;
  /** The text of the OWNERS file in a directory; undefined when there is none. */
  ownersIn(directory: string): string | undefined;
}

/** A file that is there and could not be read. */
export interface UnreadableFile {
  readonly file: FileRole;
  /** As the system names it: EACCES, EIO. */
  readonly reason: string;
}

/** Everything a rule may look at. */
export interface KepFacts {
  /** For a document of a kind that the configuration declares; undefined for a proposal of Kubernetes. */
  readonly declared?: DeclaredFacts | undefined;
  readonly document: KepDocument | undefined;
  readonly source: SourceFacts | undefined;
  readonly yaml: KepYaml | undefined;
  readonly approval: Approval | undefined;
  /** Where the approval file is, or would be. */
  readonly approvalPath: string | undefined;
  readonly place: PlaceFacts | undefined;
  readonly template: Template;
  readonly phase: Phase;
  /** A stage of `template.ladder`, or a name at which documents are closed. */
  readonly stage: string;
  readonly milestone: number | undefined;
  /** The proposal beside the template, for its own stage. */
  readonly assessed: readonly Assessed[];
  readonly repository: RepositoryFacts;
  readonly unreadable: readonly UnreadableFile[];
  /** Nothing is there but a README, which is of no proposal. */
  readonly isStray: boolean;
  /** The README at the commit that changes are counted from; undefined when none was named or it was not there. */
  readonly before: KepDocument | undefined;
  readonly evidence: readonly EvidenceFile[];
}

/** A change that does away with a finding. `unsafe` ones may be wrong and are done only on demand. */
export interface Fix {
  readonly safety: 'safe' | 'unsafe';
  readonly edits: readonly Edit[];
  /** The file that is changed, when it is not the one of the finding; one that is not there counts as empty. */
  readonly file?: FileRole;
}

/** What a rule says about one place. */
export interface Report {
  readonly file: FileRole;
  readonly span: Span;
  readonly message: string;
  readonly section?: Section | undefined;
  readonly fix?: Fix | undefined;
}

/** One thing that is asked of proposals. Its page is `docs/reference/rules/<id>.md`. */
export interface Rule {
  readonly id: string;
  readonly slug: string;
  readonly summary: string;
  readonly severity: Readonly<Record<'draft' | 'gated', Severity | 'off'>>;
  /** What it is asked of; undefined asks it of documents of any kind. */
  readonly of?: 'kep' | 'declared' | undefined;
  /** Looked at too when the proposal is closed. */
  readonly whenFrozen?: boolean | undefined;
  /** Stays an error for proposals older than the policy of the repository. */
  readonly hard?: boolean | undefined;
  /** Cannot be hidden by a comment. */
  readonly unsuppressible?: boolean | undefined;
  check(facts: KepFacts, report: (found: Report) => void): void;
}

/** A rule. All have one layout in memory, for all are read for every proposal. */
export function defineRule(rule: Rule): Rule {
  const { id, slug, summary, severity, of, whenFrozen, hard, unsuppressible, check } = rule;
  return { id, slug, summary, severity, of, whenFrozen, hard, unsuppressible, check };
}

/** The start of a file, for what is wrong with all of it. */
export const startOfFile: Span = { start: 0, end: 0 };
