import { yamlValue } from '../metadata/yaml-value.js';

/** Who is who, as a checkout says it. */
export interface Groups {
  readonly groups: ReadonlySet<string> | undefined;
  readonly approvers: ReadonlySet<string> | undefined;
  /** Alias to members, in lower case without `@`. */
  readonly members: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The groups of a `sigs.yaml`: the `dir` of every entry. */
export function groupsOfSigs(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown, depth: number) => {
    if (depth > 4 || typeof value !== 'object' || value === null) return;
    if ('dir' in value && typeof value.dir === 'string') found.add(value.dir);
    for (const each of Object.values(value)) if (typeof each === 'object') visit(each, depth + 1);
  };
  visit(yamlValue(text), 0);
  return found;
}

/**
 * Reads the approvers of production readiness, and the groups that have leads or chairs, from
 * `OWNERS_ALIASES`. An alias without members counts as absent; otherwise every approver would be rejected.
 */
export function groupsOfAliases(text: string): Groups {
  const aliases = plainAliases(text) ?? aliasesIn(yamlValue(text));
  const groups = new Set<string>();
  const approvers = new Set<string>();
  const members = new Map<string, ReadonlySet<string>>();
  for (const [name, listed] of Object.entries(aliases)) {
    const [, group] =
      /^((?:sig|wg|committee|ug)-.+?)-(?:leads|chairs|tech-leads|approvers|reviewers)$/.exec(name) ??
      /^(committee-.+)$/.exec(name) ??
      [];
    if (group) groups.add(group);
    if (!Array.isArray(listed)) continue;
    const handles = listed.map((member) => String(member).replace(/^@/, ''));
    members.set(name, new Set(handles.map((handle) => handle.toLowerCase())));
    if (!/^prod-readiness-approvers(?:-emeritus)?$/.test(name)) continue;
    for (const handle of handles) approvers.add(handle);
  }
  return {
    groups: groups.size > 0 ? groups : undefined,
    approvers: approvers.size > 0 ? approvers : undefined,
    members,
  };
}

function aliasesIn(root: unknown): object {
  const aliases = typeof root === 'object' && root !== null && 'aliases' in root ? root.aliases : undefined;
  return aliases ?? {};
}

const plainLine = /^(?: {2}([a-z][\w-]*):|( +)- ([A-Za-z][\w-]*)|aliases:)?[ \t]*(?:(?:^|(?<=[ \t]))#.*)?$/;

/**
 * The aliases of a file that is written as most are: names at two blanks, one member a line. Reading such a file as
 * YAML takes longer than checking a proposal. Undefined for all others, which may mean something else than they seem
 * to.
 */
export function plainAliases(text: string): Record<string, readonly string[] | null> | undefined {
  const found = new Map<string, string[] | null>();
  let isOpen = false;
  let name: string | undefined;
  let indent = '';
  for (const line of text.split('\n')) {
    const match = plainLine.exec(line);
    if (!match) return undefined;
    const [, alias, blanks, member] = match;
    if (line.startsWith('aliases:')) {
      if (isOpen) return undefined;
      isOpen = true;
    } else if (alias !== undefined) {
      if (!isOpen || found.has(alias) || hasMeaning(alias)) return undefined;
      found.set(alias, null);
      name = alias;
    } else if (blanks !== undefined && member !== undefined) {
      if (name === undefined || blanks.length < 2 || hasMeaning(member)) return undefined;
      const members = found.get(name);
      if (members && blanks !== indent) return undefined;
      indent = blanks;
      if (members) members.push(member);
      else found.set(name, [member]);
    }
  }
  return isOpen ? Object.fromEntries(found) : undefined;
}

/** Words that YAML does not take for text. */
function hasMeaning(word: string): boolean {
  return /^(?:null|true|false)$/i.test(word);
}
