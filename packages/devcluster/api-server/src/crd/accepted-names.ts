import { isDeepStrictEqual } from 'node:util';
import {
  type CustomResourceDefinition,
  conditionOf,
  type DefinitionCondition,
  type Names,
} from './definition-object.js';

/** What a definition's status should say of its names. */
export interface Accepted {
  readonly acceptedNames: Names;
  readonly conditions: readonly DefinitionCondition[];
}

/** The part of another definition that says which names it has. */
export interface OtherNames {
  readonly status?: { readonly acceptedNames?: Names };
}

/**
 * Decides which of the names a definition asks for it can have: those that no
 * other definition of its group has. Once all are accepted it is established,
 * and stays so.
 * @param others the other definitions of the group, as they are now
 */
export function acceptNames(
  definition: CustomResourceDefinition,
  others: readonly OtherNames[],
  now: string,
): Accepted {
  const resources = new Set<string | undefined>();
  const kinds = new Set<string | undefined>();
  for (const { status } of others) {
    const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  const { names } = definition.spec;
  const accepted: Names = { ...definition.status.acceptedNames };
  let conflict: { reason: string; message: string } | undefined;
  const settle = (field: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string | undefined>) => {
    const wanted = names[field];
    if (wanted === accepted[field] || !taken.has(wanted)) {
      if (wanted !== undefined) accepted[field] = wanted;
    } else {
      conflict = { reason: `${field.charAt(0).toUpperCase()}${field.slice(1)}Conflict`, message: inUse(wanted) };
    }
  };

  settle('plural', resources);
  settle('singular', resources);
  const wantedShort = names.shortNames ?? [];
  const hadShort = new Set(accepted.shortNames);
  const takenShort = wantedShort.filter((name) => !hadShort.has(name) && resources.has(name));
  if (takenShort.length > 0) {
    const texts = takenShort.map(inUse);
    conflict = {
      reason: 'ShortNamesConflict',
      message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`,
    };
  } else if (wantedShort.length > 0) accepted.shortNames = wantedShort;
  else delete accepted.shortNames;
  settle('kind', kinds);
  settle('listKind', kinds);
  if (names.categories) accepted.categories = names.categories;
  else delete accepted.categories;

  const namesAccepted = conflict
    ? { type: 'NamesAccepted', status: 'False' as const, ...conflict }
    : { type: 'NamesAccepted', status: 'True' as const, reason: 'NoConflicts', message: 'no conflicts found' };
  return {
    acceptedNames: accepted,
    conditions: withCondition(
      withCondition(definition.status.conditions ?? [], namesAccepted, now),
      establishing(definition, conflict !== undefined),
      now,
    ),
  };
}

function establishing(definition: CustomResourceDefinition, conflicted: boolean) {
  const before = conditionOf(definition, 'Established');
  if (before?.status === 'True') return before;
  return conflicted
    ? { type: 'Established', status: 'False' as const, reason: 'NotAccepted', message: 'not all names are accepted' }
    : {
        type: 'Established',
        status: 'True' as const,
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      };
}

function inUse(name: string | undefined): string {
  return `${JSON.stringify(name)} is already in use`;
}

/** The conditions with this one in place of the one of its type; the transition time is kept while the status is. */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  condition: Omit<DefinitionCondition, 'lastTransitionTime'>,
  now: string,
): DefinitionCondition[] {
  const index = conditions.findIndex((one) => one.type === condition.type);
  const before = conditions[index];
  const { type, status, reason, message } = condition;
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
  const made: DefinitionCondition = { type, status, lastTransitionTime, reason, message };
  if (before && isDeepStrictEqual(made, before)) return [...conditions];
  return before ? conditions.map((one, at) => (at === index ? made : one)) : [...conditions, made];
}
