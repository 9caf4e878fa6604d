/** What may be assumed of the reader of stdout. */
export interface Screen {
  /** Columns of the terminal that stdout is; undefined when it is none, and nothing has to fit. */
  readonly columns: number | undefined;
  readonly colours: boolean;
}

/** Columns of a terminal that does not say how many it has. */
export const defaultColumns = 80;

/**
 * Describes the stdout of a process. `COLUMNS` overrides the terminal's width; NO_COLOR and TERM=dumb turn colours
 * off.
 */
export function screenOf({ stdout, env }: Pick<NodeJS.Process, 'env'> & { readonly stdout: Stdout }): Screen {
  if (!stdout.isTTY) return { columns: undefined, colours: false };
  return {
    columns: columnsFrom(env.COLUMNS) ?? (stdout.columns || defaultColumns),
    colours: !env.NO_COLOR && env.TERM !== 'dumb',
  };
}

interface Stdout {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

function columnsFrom(text: string | undefined): number | undefined {
  return /^[1-9]\d{0,4}$/.test(text ?? '') ? Number(text) : undefined;
}
