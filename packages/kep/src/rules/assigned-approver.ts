import { defineRule, type KepFacts, type Report, startOfFile } from '../facts/rule.js';
import { yamlValue } from '../metadata/yaml-value.js';

/** The lists of `kep.yaml` and OWNERS, and the comment that marks a person there as assigned to the proposal. */
const roles = [
  { list: 'reviewers', mark: 'sig-node-assigned-reviewer' },
  { list: 'approvers', mark: 'sig-node-assigned-approver' },
] as const;
const approverMark = roles[1].mark;
/** From this release on proposals of sig-node name who approves them. */
const firstMinor = 36;

/**
 * sig-node assigns people to single proposals: they are marked in `kep.yaml`, and the OWNERS file beside it lists exactly them. Before
 * somebody is assigned, and while the proposal is worked on for alpha, a tech lead approves.
 */
export const assignedApprover = defineRule({
  id: 'KEP621',
  slug: 'assigned-approver',
  summary: 'Proposals of sig-node have an approver who is assigned to them',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  check(facts, report) {
    if (!facts.yaml || !facts.place || !facts.repository.profiles.has('sig-node')) return;
    compareWithOwners(facts, report);
    if (isApproverRequired(facts)) requireApprover(facts, report);
  },
});

function compareWithOwners({ yaml, place, repository }: KepFacts, report: (found: Report) => void): void {
  const owners = place && repository.ownersIn(place.directory);
  for (const { list, mark } of roles) {
    const marked = markedIn(yaml, list, mark);
    const listed = new Set(owners === undefined ? [] : handlesOf(owners, list));
    for (const person of marked) {
      if (listed.has(handleOf(person.value))) continue;
      const message = `${person.value} is marked "# ${mark}", but OWNERS beside kep.yaml does not list them under ${list}`;
      report({ file: 'yaml', span: person, message });
    }
    const handles = new Set(marked.map(({ value }) => handleOf(value)));
    const span = yaml?.key(list) ?? startOfFile;
    for (const handle of listed) {
      if (handles.has(handle)) continue;
      report({ file: 'yaml', span, message: `OWNERS lists ${handle} under ${list}; mark them "# ${mark}" here` });
    }
  }
}

function isApproverRequired({ yaml, place, milestone }: KepFacts): boolean {
  const isClosed = ['withdrawn', 'rejected', 'replaced'].includes(yaml?.one('status')?.value ?? '');
  return place?.group === 'sig-node' && !isClosed && milestone !== undefined && milestone >= firstMinor;
}

function requireApprover({ yaml, milestone, repository }: KepFacts, report: (found: Report) => void): void {
  const span = yaml?.key('approvers') ?? startOfFile;
  const leads = repository.members('sig-node-tech-leads') ?? new Set();
  const hasLead = yaml?.many('approvers').some(({ value }) => leads.has(handleOf(value)));
  const marked = markedIn(yaml, 'approvers', approverMark);
  const { release } = repository;
  const isAlphaNow = yaml?.one('stage')?.value === 'alpha' && release !== undefined && (milestone ?? 0) >= release;
  if (!hasLead && (isAlphaNow || marked.length === 0)) {
    const who = isAlphaNow ? '' : `, or a person marked "# ${approverMark}"`;
    report({ file: 'yaml', span, message: `name a tech lead of sig-node as approver${who}` });
  }
  for (const person of isAlphaNow ? marked : []) {
    const message = `${person.value} cannot be marked "# ${approverMark}" at alpha, where tech leads approve`;
    report({ file: 'yaml', span: person, message });
  }
}

/** The people of a list whose line ends with the mark as its only comment. */
function markedIn(yaml: KepFacts['yaml'], list: string, mark: string) {
  const comment = new RegExp(`^[ \\t]+#[ \\t]*${mark}[ \\t]*(?=[\\r\\n]|$)`);
  return yaml?.many(list).filter(({ end }) => comment.test(yaml.text.slice(end, end + 500))) ?? [];
}

/** The handles of a list of an OWNERS file; none when it cannot be read. */
function handlesOf(owners: string, list: string): readonly string[] {
  const root = yamlValue(owners);
  const people = typeof root === 'object' && root !== null ? (root as Record<string, unknown>)[list] : undefined;
  return Array.isArray(people) ? people.filter((each) => typeof each === 'string').map(handleOf) : [];
}

function handleOf(person: string): string {
  return person.trim().replace(/^@/, '').toLowerCase();
}
