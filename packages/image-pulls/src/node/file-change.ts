/** A file of a node as it is to be. */
export interface FileChange {
  readonly path: string;
  /** Undefined when it is not there yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** The keys that are set in another program's file, with what they were. Files of our own have none. */
  readonly keys: readonly { readonly key: string; readonly before: string | undefined; readonly after: string }[];
}

/** The files of a node now. Every method throws InstallRefusedError. */
export interface NodeFiles {
  /** The text of a file; undefined when there is none. */
  read(path: string): string | undefined;
  /** The paths of a kubelet's drop-ins in the order in which it reads them. */
  dropIns(folder: string): readonly string[];
}

/** Something that is not installed, because it could not be undone or would not work. */
export class InstallRefusedError extends Error {
  override readonly name = 'InstallRefusedError';
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}
