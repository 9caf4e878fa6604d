/**
 * A set of fields of an object, in the form that `fieldsV1` has on the wire: a
 * tree whose names are path elements (`f:spec`, `k:{"name":"x"}`, `v:"a"`).
 *
 * Below the root a node without children is in the set; one with children is
 * in it when it has a `.`. The root stands for the whole object, which no manager
 * owns. Trees share their parts and are never changed once made.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const noFields: FieldSet = Object.freeze({});
const self = '.';
/** A field by itself. */
export const leaf: FieldSet = noFields;

/** Sets of many elements. To list those of one takes tens of milliseconds, even to find only the first. */
const large = new WeakSet<FieldSet>();
const smallestLarge = 1_000;

export function isEmpty(set: FieldSet): boolean {
  if (set === noFields) return true;
  if (large.has(set)) return false;
  let elements = 0;
  for (const element in set) if (element !== self && ++elements === smallestLarge) break;
  if (elements === smallestLarge) large.add(set);
  return elements === 0;
}

/** Whether the field that a node stands for is in the set, and not only what is below it. */
export function isMember(node: FieldSet | undefined): boolean {
  return node !== undefined && (self in node || isEmpty(node));
}

/** Whether a path, one element after the other, is in the set. */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** The set of one path and nothing else. */
export function setOf(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), leaf);
}

/**
 * Puts a node together: undefined when there is nothing in it.
 * @param children a set; whether it has a `.` of its own does not matter
 */
export function nodeOf(member: boolean, children: FieldSet): FieldSet | undefined {
  if (isEmpty(children)) return member ? leaf : undefined;
  if (member === self in children) return children;
  if (member) return { [self]: leaf, ...children };
  const { [self]: _, ...below } = children;
  return below;
}

/** Everything that is in one of the two. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  const result: Record<string, FieldSet> = {};
  for (const element in a) if (element !== self) result[element] = a[element] as FieldSet;
  for (const element in b) {
    if (element === self) continue;
    const [mine, theirs] = [result[element], b[element] as FieldSet];
    result[element] = mine === undefined || mine === theirs ? theirs : joined(mine, theirs);
  }
  return result;
}

function joined(a: FieldSet, b: FieldSet): FieldSet {
  return nodeOf(isMember(a) || isMember(b), union(a, b)) ?? leaf;
}

/** Everything that is in one of many. One after the other, thousands of sets would be copied thousands of times. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length < 2) return sets[0] ?? noFields;
  const groups = new Map<string, FieldSet[]>();
  for (const set of sets) {
    for (const element in set) {
      if (element === self) continue;
      const [node, group] = [set[element] as FieldSet, groups.get(element)];
      if (!group) groups.set(element, [node]);
      else if (group.at(-1) !== node) group.push(node);
    }
  }
  const result: Record<string, FieldSet> = {};
  for (const [element, nodes] of groups) {
    const [first = leaf] = nodes;
    result[element] = nodes.length === 1 ? first : (nodeOf(nodes.some(isMember), unionOf(nodes)) ?? leaf);
  }
  return result;
}

/** Returns the fields that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element in a) {
    const [mine, theirs] = [a[element] as FieldSet, b[element]];
    if (element === self || theirs === undefined) continue;
    const node = mine === theirs ? mine : nodeOf(isMember(mine) && isMember(theirs), intersection(mine, theirs));
    if (node) result[element] = node;
  }
  return result;
}

/** Returns the fields in `a` and not in `b`. Removing a field keeps the fields below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  const result: Record<string, FieldSet> = {};
  for (const element in a) {
    if (element === self) continue;
    const [mine, theirs] = [a[element] as FieldSet, b[element]];
    const node = theirs === undefined ? mine : nodeOf(isMember(mine) && !isMember(theirs), difference(mine, theirs));
    if (node) result[element] = node;
  }
  return result;
}

/** Returns the fields in `a` that are neither in `b` nor below a field in `b`. */
export function without(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a;
  const result: Record<string, FieldSet> = {};
  for (const element in a) {
    if (element === self) continue;
    const [mine, theirs] = [a[element] as FieldSet, b[element]];
    if (isMember(theirs)) continue;
    const node = theirs === undefined ? mine : nodeOf(isMember(mine), without(mine, theirs));
    if (node) result[element] = node;
  }
  return result;
}

/** Whether two sets hold the same. */
export function sameFields(a: FieldSet, b: FieldSet): boolean {
  return isEmpty(difference(a, b)) && isEmpty(difference(b, a));
}
