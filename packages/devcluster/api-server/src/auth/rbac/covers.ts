import type { PolicyRule } from '@slipway/api-machinery/identity/access';
import { pathMatches } from './rule-allows.js';

/**
 * Returns the part of `wanted` that `held` does not cover, in pieces as small as they come: one
 * verb, one group, one resource, one name. Empty = all of it is held. Rules that
 * are too large to enumerate are returned as they are.
 */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  let looked = 0;
  return wanted.flatMap((rule) => {
    if (held.some((one) => covers(one, rule))) return [];
    looked += piecesCount(rule);
    if (looked > maxPieces) return [rule];
    return piecesOf(rule).filter((piece) => !held.some((one) => covers(one, piece)));
  });
}

const maxPieces = 5_000;

/** Whether all that `wanted` permits, `held` permits by itself. */
export function covers(held: PolicyRule, wanted: PolicyRule): boolean {
  if (!hasAll(held.verbs, wanted.verbs)) return false;
  const { nonResourceURLs = none, resources = none } = wanted;
  // A rule of neither kind permits nothing, and nothing is always held.
  if (nonResourceURLs.length > 0)
    return nonResourceURLs.every((url) => (held.nonResourceURLs ?? none).some((one) => pathMatches(one, url)));
  return (
    hasAll(held.apiGroups ?? none, wanted.apiGroups ?? none) &&
    resources.every((resource) => (held.resources ?? none).some((one) => coversResource(one, resource))) &&
    coversNames(held.resourceNames ?? none, wanted.resourceNames ?? none)
  );
}

function coversResource(held: string, wanted: string): boolean {
  if (held === '*' || held === wanted) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && held === `*${wanted.slice(slash)}`;
}

function coversNames(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => held.includes(name));
}

function hasAll(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.includes('*')) return true;
  if (wanted.length < fewNames) return wanted.every((one) => held.includes(one));
  const known = new Set(held);
  return wanted.every((one) => known.has(one));
}

const fewNames = 20;

function piecesCount({
  verbs,
  apiGroups = none,
  resources = none,
  resourceNames = none,
  nonResourceURLs = none,
}: PolicyRule) {
  return (
    verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length)
  );
}

function piecesOf(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = none, resources = none, resourceNames = none, nonResourceURLs = none } = rule;
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({ verbs: [verb], apiGroups: [group], resources: [resource], ...name })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })));
  return [...ofResources, ...ofPaths];
}

/** Puts the verbs of pieces about the same thing together, for people to read. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const compact: PolicyRule[] = [];
  const about = new Map<string, { verbs: string[] }>();
  for (const rule of rules) {
    if (!isSimple(rule)) {
      compact.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const there = about.get(key);
    if (there) there.verbs.push(...rule.verbs.filter((verb) => !there.verbs.includes(verb)));
    else {
      const copy = { ...rule, verbs: [...rule.verbs] };
      about.set(key, copy);
      compact.push(copy);
    }
  }
  return compact;
}

function isSimple({ apiGroups, resources, resourceNames = none }: PolicyRule): boolean {
  return apiGroups?.length === 1 && resources?.length === 1 && resourceNames.length <= 1;
}

/** A rule in one line: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
export function ruleText(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.flatMap(([label, list = none]) => (list.length === 0 ? [] : [`${label}:${listText(list)}`]));
  return `{${shown.join(', ')}}`;
}

/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export function listText(list: readonly string[]): string {
  return `[${list.map((one) => JSON.stringify(one)).join(' ')}]`;
}

const none: readonly string[] = [];
