import type { Finding } from '../check/finding.js';
import { lineEndingText } from '../document/lines.js';
import { tableOfContents } from '../document/toc.js';
import { insertSection } from '../facts/insert-section.js';
import { history } from '../facts/named-sections.js';
import { missingSections } from '../facts/report-missing.js';
import type { FileRole, KepFacts } from '../facts/rule.js';
import { tocEdit } from '../facts/toc-edit.js';
import { readApproval } from '../metadata/approval.js';
import { addMapEntry, applyEdits, setField, setMilestone } from '../metadata/edit.js';
import type { KepYaml } from '../metadata/kep-yaml.js';
import type { Stage } from '../metadata/stage.js';
import type { KepRepository, LoadedKep } from '../repository/repository.js';
import { bodyOf } from '../template/section-body.js';

/** A move of a proposal to another stage. */
export interface Promotion {
  readonly to: Exclude<Stage, 'draft'>;
  /** `v1.37` */
  readonly milestone: string;
  /** YYYY-MM-DD */
  readonly today: string;
  /** Who approves the production readiness of the stage; undefined when the file says it already. */
  readonly prrApprover: string | undefined;
}

/** What a move comes to: the files as they would be, and what the new stage asks for and is not there. */
export interface PromotedKep {
  /** Only files that change. */
  readonly texts: ReadonlyMap<FileRole, string>;
  /** Errors, and the warnings that count at a move: required items that are open, evidence. */
  readonly obstacles: readonly Finding[];
  readonly facts: KepFacts;
}

const alsoObstacles = /^KEP(?:207|71[1-4])$/;

/**
 * Moves a proposal to a stage, without writing anything: the stage with its release in `kep.yaml`, the
 * approver in the production readiness file, the sections that the stage asks for, and a line of history.
 */
export function promoteKep(
  repository: KepRepository,
  kep: LoadedKep,
  yaml: KepYaml,
  promotion: Promotion,
): PromotedKep {
  const texts = new Map<FileRole, string>([['yaml', promotedYaml(yaml, promotion)]]);
  const approval = promotedApproval(kep, yaml, promotion);
  if (approval !== undefined) texts.set('approval', approval);
  // What is missing is told in the lines of the file as it is; sections are written behind that.
  const after = repository.withTexts(kep, texts);
  const facts = repository.facts(after, promotion.to);
  const obstacles = repository
    .check(facts, after)
    .filter((finding) => !finding.baselined && finding.waived === undefined && isObstacle(finding));
  const readme = promotedReadme(repository, after, promotion);
  if (readme !== undefined) texts.set('readme', readme);
  return { texts, obstacles, facts };
}

function isObstacle({ severity, rule }: Finding): boolean {
  return severity === 'error' || alsoObstacles.test(rule);
}

function promotedYaml(yaml: KepYaml, { to, milestone, today }: Promotion): string {
  return applyEdits(yaml.text, [
    setField(yaml, 'stage', to),
    setField(yaml, 'latest-milestone', JSON.stringify(milestone), 'stage'),
    setMilestone(yaml, to, milestone),
    setField(yaml, 'last-updated', today, 'creation-date'),
  ]);
}

function promotedApproval(
  { approval, approvalPath }: LoadedKep,
  yaml: KepYaml,
  { to, prrApprover }: Promotion,
): string | undefined {
  if (prrApprover === undefined || approvalPath === undefined) return undefined;
  const approver = JSON.stringify(`@${prrApprover.replace(/^@/, '')}`);
  const known = approval?.stages.get(to);
  if (approval && known) return applyEdits(approval.text, [{ start: known.start, end: known.end, text: approver }]);
  const begun = approval ?? readApproval(`kep-number: ${yaml.one('kep-number')?.value ?? ''}\n`);
  return applyEdits(begun.text, [addMapEntry(begun, to, `approver: ${approver}`)]);
}

/** The README with the sections that the stage asks for, and one more line of history. */
function promotedReadme(repository: KepRepository, kep: LoadedKep, promotion: Promotion): string | undefined {
  let facts = repository.facts(kep, promotion.to);
  const withText = (text: string) =>
    repository.facts(repository.withTexts(kep, new Map([['readme' as const, text]])), promotion.to);
  const { template } = facts;
  for (let left = template.sections.length; left > 0; left--) {
    const [wanted] = missingSections(facts).map((each) => each.wanted);
    const edit = wanted && insertSection(facts, wanted, bodyOf(template.document, wanted, true));
    if (!edit || !facts.document) break;
    facts = withText(applyEdits(facts.document.text, [edit]));
  }
  const line = historyEdit(facts, promotion);
  if (line && facts.document) facts = withText(applyEdits(facts.document.text, [line]));
  const { document } = facts;
  if (!document) return undefined;
  const table = tableOfContents(document);
  const text = table === undefined ? document.text : applyEdits(document.text, [tocEdit(document, table)]);
  return text === kep.readme?.text ? undefined : text;
}

function historyEdit({ document, assessed }: KepFacts, { to, milestone, today }: Promotion) {
  const section = history(assessed);
  if (!document || section?.form !== 'heading') return undefined;
  const { lines, text } = document;
  let last = section.own.last;
  while (last > section.line && text.slice(lines.start(last), lines.end(last)).trim() === '') last--;
  const eol = lineEndingText(lines.ending);
  const isList = /^\s*[-*+]\s/.test(text.slice(lines.start(last), lines.end(last)));
  const mark = /^\s*([*+])\s/.exec(text.slice(lines.start(last), lines.end(last)))?.[1] ?? '-';
  const at = lines.end(last);
  return { start: at, end: at, text: `${eol}${isList ? '' : eol}${mark} ${today}: ${to} in ${milestone}` };
}
