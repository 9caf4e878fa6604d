import type { KepDocument } from '../document/document.js';
import { nearestValue } from '../document/nearest.js';
import type { DocumentKind } from '../kinds/document-kind.js';
import { type Metadata, metadataField, readMetadata } from '../kinds/metadata.js';
import type { KepYaml } from '../metadata/kep-yaml.js';
import { type Assessed, assess } from '../template/assess.js';
import type { Template } from '../template/template.js';
import type { KepFacts, Phase, PlaceFacts, RepositoryFacts, SourceFacts, UnreadableFile } from './rule.js';

/** Reads the parts of a document of a declared kind together, as `gatherFacts` does for a proposal of Kubernetes. */
export function gatherDeclared(parts: {
  readonly kind: DocumentKind;
  readonly path: string;
  readonly document: KepDocument | undefined;
  readonly source: SourceFacts | undefined;
  readonly side: KepYaml | undefined;
  readonly place: PlaceFacts;
  readonly template: Template;
  readonly repository: RepositoryFacts;
  readonly unreadable: readonly UnreadableFile[];
  readonly before: KepDocument | undefined;
  /** Asked for on the command line; wins over the metadata. */
  readonly stage: string | undefined;
}): KepFacts {
  const { kind, path, document, source, side, place, template, repository, unreadable, before } = parts;
  const metadata = readMetadata(kind, document, side);
  const { phase, stage } = aimOf(kind, metadata, parts.stage);
  return {
    declared: { kind, metadata, path },
    document,
    source,
    yaml: side,
    approval: undefined,
    approvalPath: undefined,
    place,
    template,
    phase,
    stage,
    milestone: undefined,
    assessed: document ? withFields(assess(document, template, { stage, milestone: undefined }), kind, metadata) : [],
    repository,
    unreadable,
    isStray: false,
    before,
    evidence: [],
  };
}

/** A section that holds a field is answered by its value, also where that is the one of the template. */
function withFields(assessed: readonly Assessed[], { fields }: DocumentKind, metadata: Metadata): readonly Assessed[] {
  const held = [...fields.values()].flatMap(({ name, section }) =>
    section !== undefined && metadataField(metadata, name)?.values.length ? [section.toLowerCase()] : [],
  );
  return assessed.map((each) =>
    each.match && held.includes(each.wanted.title.toLowerCase()) ? { ...each, answer: 'answered' } : each,
  );
}

/** A document that names no stage of its kind is taken for one at the first. A name that is misspelt counts as the one meant. */
function aimOf(
  { ladder, stageField, closed }: DocumentKind,
  metadata: Metadata,
  asked: string | undefined,
): { phase: Phase; stage: string } {
  const first = ladder.names[0] ?? '';
  const given = stageField === undefined ? undefined : metadataField(metadata, stageField)?.values[0]?.value;
  const named = given === undefined ? undefined : nearestValue(given, [...ladder.ranks.keys(), ...closed]);
  if (named !== undefined && closed.includes(named)) return { phase: 'frozen', stage: named };
  return { phase: 'gated', stage: asked !== undefined && ladder.ranks.has(asked) ? asked : (named ?? first) };
}
