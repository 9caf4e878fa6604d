/** How long what a command left behind may take to end by itself. */
const endWithinMs = 1_000;

/** Lets the process end with an exit code, written to the end. Nothing that still listens or waits keeps it. */
export function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.stdout.write('', () => process.exit()), endWithinMs).unref();
}
