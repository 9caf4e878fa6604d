/** The message of an error, or the text of another thrown value. Untrusted: escape it before printing. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
