import { labelValueProblems } from '@slipway/api-machinery/errors/names';
import { deprecatedNodeLabel } from './deprecated-node-labels.js';

/** A term that selects nodes by their labels. */
export interface NodeTerm {
  readonly matchExpressions?: readonly { readonly key?: string; readonly values?: readonly string[] | null }[] | null;
}

/**
 * Returns warnings about the deprecated labels in terms that select nodes, and, where they only prefer nodes, about values
 * that no label has.
 */
export function nodeTermWarnings(
  { matchExpressions }: NodeTerm,
  path: string,
  which: 'required' | 'preferred',
): string[] {
  return (matchExpressions ?? []).flatMap(({ key = '', values }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const why = deprecatedNodeLabel(key);
    return [
      ...(why === undefined ? [] : [`${at}.key: ${key} is ${why}`]),
      ...(which === 'required' ? [] : (values ?? [])).flatMap((value, place) =>
        labelValueProblems(value).map((problem) => `${at}.values[${place}]: ${value} is invalid, ${problem}`),
      ),
    ];
  });
}
