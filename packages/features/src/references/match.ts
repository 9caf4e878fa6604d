import type { MatchRequirement } from '../api/match-requirement.js';
import { parseFieldPath, placesOf, valueAt } from './field-path.js';

/** Whether all requirements hold. Several places of one path are alternatives. */
export function fits(requirements: readonly MatchRequirement[] | undefined, object: unknown): boolean {
  return (requirements ?? []).every(({ path, operator, values = [] }) => {
    const found = placesOf(parseFieldPath(path), object).map((place) => String(valueAt(place, object)));
    if (operator === 'Exists') return found.length > 0;
    if (operator === 'DoesNotExist') return found.length === 0;
    const isAmong = found.some((value) => values.includes(value));
    return operator === 'In' ? isAmong : !isAmong;
  });
}

/** Lists, as sentences, what is wrong with a requirement. @throws FieldPathError for an invalid path */
export function requirementProblems({ path, operator, values }: MatchRequirement): readonly string[] {
  parseFieldPath(path);
  const wantsValues = operator === 'In' || operator === 'NotIn';
  if (wantsValues === (values ?? []).length > 0) return [];
  return [`the match on ${path} ${wantsValues ? `needs values for ${operator}` : `takes no values for ${operator}`}`];
}
