import type { Reference } from '../api/feature-definition.js';
import { FieldPathError, parseFieldPath } from './field-path.js';
import { requirementProblems } from './match.js';

/** What keeps a reference from being looked for, in sentences. */
export function referenceProblems(reference: Reference): readonly string[] {
  const { kind = 'Field', path, match = [], resource, derived = [] } = reference;
  const needless =
    path === undefined && reference.default !== undefined
      ? [`the reference to ${resource} has a default and no path: a default is that of a field`]
      : [];
  const missing =
    kind === 'Field' && path === undefined ? [`the reference to ${resource} needs a path, or kind Object`] : [];
  const paths = [...(path === undefined ? [] : [path]), ...derived.map((copy) => copy.path)];
  const unreadable = paths.flatMap((text) => pathProblems(() => parseFieldPath(text) && []));
  return [
    ...missing,
    ...needless,
    ...unreadable,
    ...match.flatMap((one) => pathProblems(() => requirementProblems(one))),
  ];
}

/** What `read` finds, or that it could not read a path. */
function pathProblems(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof FieldPathError) return [error.message];
    throw error;
  }
}
