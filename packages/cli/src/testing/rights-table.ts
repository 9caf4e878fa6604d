import { readFileSync, writeFileSync } from 'node:fs';
import { type GrantedRight, type TrialResult, triesAll } from './missing-rights.js';

const page = new URL('../../../../docs/operations/rights.md', import.meta.url);

/** Purpose of each resource in the roles of a process, as `nodes` or `leases.coordination.k8s.io in slipway-system`. */
export type Purposes = Readonly<Record<string, string>>;

/** Names the resource of a right, and the namespace of its role if it has one. */
export function resourceOf({ role, verb }: GrantedRight): string {
  const [, resource = ''] = verb.split(' ');
  const { namespace } = role.metadata;
  return namespace === undefined ? resource : `${resource} in ${namespace}`;
}

/**
 * Returns a Markdown table with a row for all verbs on a resource whose absence has the same effect.
 * @param elsewhere where users see that an optional right is missing, by right
 */
export function rightsTable(results: readonly TrialResult[], purposes: Purposes, elsewhere: Purposes = {}): string {
  const rows = new Map<string, string[]>();
  const most = Math.max(...results.map(({ waiting }) => waiting.length));
  for (const { right, waiting, named } of results) {
    const resource = resourceOf(right);
    const [verb = ''] = right.verb.split(' ');
    const seen = named === 'nowhere' ? elsewhere[right.verb] : named;
    const effect = waiting.length === 0 ? 'nothing' : waiting.length === most ? 'everything' : waiting.join(', ');
    const row = `| ${purposes[resource]} | ${effect} | ${seen} |`;
    const key = `${resource}\n${row}`;
    rows.set(key, [...(rows.get(key) ?? []), verb]);
  }
  const lines = [...rows].map(([key, verbs]) => {
    const [resource, row] = key.split('\n');
    return `| \`${resource}\` | ${verbs.join(', ')} ${row}`;
  });
  return [
    '| resource | verbs | needed for | what waits without it | where it is named |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/**
 * Returns the table below a heading of `docs/operations/rights.md`. With `UPDATE_GOLDEN` it is replaced first. Where only some
 * rights were tried, it is `table` if it has their resources.
 * @throws Error when the page has no such heading with a table
 */
export function documentedTable(heading: string, table: string): string {
  const text = readFileSync(page, 'utf8');
  const [, before = '', documented] = new RegExp(`^(### ${heading}\n\n)((?:\\|.*\n)+)`, 'm').exec(text) ?? [];
  if (documented === undefined) throw new Error(`docs/operations/rights.md has no table below "### ${heading}"`);
  if (!triesAll) {
    const resources = table.match(/^\| `[^`]+` \|/gm) ?? [];
    return resources.every((resource) => documented.includes(resource)) ? table : documented.trimEnd();
  }
  if (!process.env.UPDATE_GOLDEN) return documented.trimEnd();
  writeFileSync(
    page,
    text.replace(before + documented, () => `${before}${table}\n`),
  );
  return table;
}
