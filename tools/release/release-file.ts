/** A file of an artefact, held in memory so that nothing depends on the file system that the release is made on. */
export interface ReleaseFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly content: Buffer;
  readonly isExecutable?: boolean;
}

/** Files in the order of their paths, byte by byte: the same on every machine. */
export function sortFiles<T extends { readonly path: string }>(files: readonly T[]): T[] {
  return [...files].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}
