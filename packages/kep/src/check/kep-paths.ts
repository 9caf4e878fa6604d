/** Where the files of a proposal are, for the findings. */
export interface KepPaths {
  /** Directory of the proposal, or its file when it is a single one. */
  readonly kep: string;
  readonly readme: string;
  readonly yaml: string;
  readonly approval: string;
}
