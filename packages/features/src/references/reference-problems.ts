import type { Reference } from '../api/feature-definition.js';
import { isKubernetesKind } from './embedding.js';
import { FieldPathError, parseFieldPath } from './field-path.js';
import { requirementProblems } from './match.js';

/** Lists, as sentences, what keeps a reference from being searched for. */
export function referenceProblems(reference: Reference): readonly string[] {
  const { kind = 'Field', path, match = [], resource, derived = [], embedded } = reference;
  const apart = embedded ? embeddingProblems(reference) : [];
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
    ...apart,
    ...unreadable,
    ...match.flatMap((one) => pathProblems(() => requirementProblems(one))),
  ];
}

/** What keeps a type from being looked for in other kinds. */
function embeddingProblems({ group, resource, path, match = [] }: Reference): readonly string[] {
  const what = `the reference to ${resource} is embedded`;
  if (path === undefined) return [`${what} and has no path: the type is that of a field`];
  if (match.length > 0) return [`${what} and has a match, which holds for one kind only: name each kind instead`];
  if (!isKubernetesKind({ group, resource })) {
    return [`${what}, which only a field of a kind of Kubernetes can be: name each kind instead`];
  }
  return [];
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
