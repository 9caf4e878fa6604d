/**
 * A condition on an object, in the manner of a label selector: what is at `path`
 * must be among `values`, or be there at all. The server, the command line and the
 * API server's guards all judge it, so it is not an expression of any one of them.
 */
export interface MatchRequirement {
  readonly path: string;
  readonly operator: 'Exists' | 'DoesNotExist' | 'In' | 'NotIn';
  /** Compared as text. For In and NotIn. */
  readonly values?: readonly string[];
}
