import { firstThatFit } from '../errors/field-errors.js';
import type { Resumable } from '../event-loop/resumable.js';
import { type FieldSet, isMember, leaf } from './field-set.js';
import type { Managers, Owned } from './managers.js';
import { compareElements, describePath } from './path-element.js';
import type { Claims } from './take-over.js';

/** One field that another manager owns. */
export interface FieldConflict {
  /** Identity of the manager. */
  readonly manager: string;
  /** As messages name it: `"m1" with subresource "scale" using v1`. */
  readonly described: string;
  readonly path: readonly string[];
}

/** An apply would change fields that other managers own. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  readonly conflicts: readonly FieldConflict[];

  constructor(conflicts: readonly FieldConflict[]) {
    super(messageOf(conflicts));
    this.conflicts = conflicts;
  }
}

/** Returns the fields that an apply would change and other managers own, grouped by manager. */
export function* conflictsOf(claims: Claims, managers: Managers): Resumable<FieldConflict[]> {
  const conflicts: FieldConflict[] = [];
  for (const manager of [...claims.keys()].sort()) {
    const described = describe(managers.get(manager) as Owned);
    for (const path of yield* findingPaths(claims.get(manager) as FieldSet)) {
      conflicts.push({ manager, described, path });
    }
    yield;
  }
  return conflicts;
}

/** The message of an apply that is refused, as clients know it. */
export function messageOf(conflicts: readonly FieldConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first) {
    return `Apply failed with 1 conflict: conflict with ${first.described}: ${describePath(first.path)}`;
  }
  const lines: string[] = [];
  let manager: string | undefined;
  for (const conflict of describable(conflicts)) {
    if (conflict.manager !== manager) lines.push(`conflicts with ${conflict.described}:`);
    manager = conflict.manager;
    lines.push(`- ${describePath(conflict.path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

/** As many conflicts as an answer has room for. */
export function describable(conflicts: readonly FieldConflict[]): readonly FieldConflict[] {
  const lengthOf = ({ path, described }: FieldConflict) =>
    path.reduce((length, element) => length + element.length, described.length);
  return firstThatFit(conflicts, lengthOf);
}

function describe({ name, subresource, operation, apiVersion }: Owned): string {
  const who = JSON.stringify(name) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${who} using ${apiVersion}` : who;
}

/** Elements between two yields. */
const betweenYields = 500;

/** Every path of a set: first the fields of a level, then what is below them. */
function* findingPaths(set: FieldSet): Resumable<string[][]> {
  const paths: string[][] = [];
  yield* addPaths(set, [], paths);
  return paths;
}

function* addPaths(set: FieldSet, prefix: readonly string[], paths: string[][]): Resumable<void> {
  const elements = Object.keys(set)
    .filter((element) => element !== '.')
    .sort(compareElements);
  for (const [index, element] of elements.entries()) {
    if ((index + 1) % betweenYields === 0) yield;
    if (isMember(set[element])) paths.push([...prefix, element]);
  }
  for (const element of elements) {
    const below = set[element] as FieldSet;
    if (below !== leaf) yield* addPaths(below, [...prefix, element], paths);
  }
}
