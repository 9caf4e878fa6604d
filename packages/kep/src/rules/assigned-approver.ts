import { defineRule, type KepFacts, startOfFile } from './rule.js';

const mark = 'sig-node-assigned-approver';
/** From this release on proposals of sig-node name who approves them. */
const firstMinor = 36;

/**
 * sig-node assigns an approver to each proposal: a member of its tech leads, or somebody marked as
 * assigned both in `kep.yaml` and in the OWNERS file beside it. At alpha only tech leads approve.
 */
export const assignedApprover = defineRule({
  id: 'KEP621',
  slug: 'assigned-approver',
  summary: 'Proposals of sig-node have an approver who is assigned to them',
  severity: { draft: 'off', gated: 'error' },
  check(facts, report) {
    const { yaml, place, repository, stage } = facts;
    if (!yaml || !isAsked(facts)) return;
    const approvers = yaml.many('approvers');
    const leads = repository.members('sig-node-tech-leads') ?? new Set();
    const hasLead = approvers.some(({ value }) => leads.has(handleOf(value)));
    const marked = approvers.filter(({ end }) => isMarked(yaml.text, end));
    const owners = place && repository.ownersIn(place.directory);
    const inOwners = owners === undefined ? new Set<string>() : markedIn(owners);
    const span = yaml.key('approvers') ?? startOfFile;
    if (stage === 'alpha' && !hasLead)
      report({ file: 'yaml', span, message: 'at alpha one of sig-node-tech-leads approves' });
    else if (!hasLead && marked.length === 0)
      report({
        file: 'yaml',
        span,
        message: `neither a tech lead of sig-node nor somebody marked "# ${mark}" approves`,
      });
    for (const approver of marked) {
      if (!inOwners.has(handleOf(approver.value)))
        report({ file: 'yaml', span: approver, message: `${approver.value} is not marked "# ${mark}" in OWNERS` });
    }
    const inYaml = new Set(marked.map(({ value }) => handleOf(value)));
    for (const handle of inOwners) {
      if (!inYaml.has(handle))
        report({ file: 'yaml', span, message: `OWNERS marks ${handle} "# ${mark}", kep.yaml does not` });
    }
  },
});

function isAsked({ yaml, repository, milestone }: KepFacts): boolean {
  const isTheirs = yaml?.one('owning-sig')?.value === 'sig-node';
  return repository.profiles.has('sig-node') && isTheirs && milestone !== undefined && milestone >= firstMinor;
}

/** Whether the comment behind a value is the mark. */
function isMarked(text: string, end: number): boolean {
  return new RegExp(`^["']?[ \\t]*#[ \\t]*${mark}\\b`).test(text.slice(end, end + 200));
}

function markedIn(owners: string): Set<string> {
  const lines = owners.matchAll(new RegExp(`^[ \\t]*-[ \\t]+["']?@?([\\w-]+)["']?[ \\t]*#[ \\t]*${mark}\\b`, 'gm'));
  return new Set([...lines].map(([, handle = '']) => handle.toLowerCase()));
}

function handleOf(person: string): string {
  return person.replace(/^@/, '').toLowerCase();
}
