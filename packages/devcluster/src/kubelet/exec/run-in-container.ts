import type { Status } from '@slipway/kube';
import type { ContainerView } from './container-view.js';
import { environmentOf } from './environment.js';
import { MountedFiles } from './mounted-files.js';
import type { Process } from './process.js';
import { runCommand } from './shell.js';
import type { Terminal } from './terminal.js';

/** How much of what is typed is kept for a command that reads all of it, in bytes. */
const longestInput = 3 * 1024 * 1024;

export interface CommandRequest {
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** Runs a command in a simulated container, and tells the client how it ended. */
export async function runInContainer(
  view: ContainerView,
  { command, stdin, tty }: CommandRequest,
  terminal: Terminal,
): Promise<void> {
  const raw = (bytes: string | Uint8Array) => {
    if (tty && typeof bytes === 'string') return Buffer.from(bytes.replaceAll('\n', '\r\n'));
    return tty
      ? Buffer.from(
          Buffer.from(bytes as Uint8Array)
            .toString('latin1')
            .replaceAll('\n', '\r\n'),
          'latin1',
        )
      : Buffer.from(bytes as string);
  };
  const process: Process = {
    environment: environmentOf(view),
    files: new MountedFiles(view),
    folder: (view.container.workingDir as string | undefined) || '/',
    input: stdin ? () => allInput(terminal) : undefined,
    out: (bytes) => terminal.stdout(raw(bytes)),
    err: (text) => (tty ? terminal.stdout(raw(text)) : terminal.stderr(Buffer.from(text))),
    size: () => terminal.size,
    clock: view.clock,
    gone: terminal.gone,
    isOver: false,
  };
  const code = await runCommand({ view, process, keyboard: stdin && tty ? terminal : undefined }, command);
  terminal.finish(code === undefined ? missing(command[0] ?? '') : ended(code));
}

/** How an exit code is told to clients. */
export function ended(code: number): Partial<Status> {
  if (code === 0) return { metadata: {}, status: 'Success' } as Partial<Status>;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  } as Partial<Status>;
}

function missing(program: string): Partial<Status> {
  const why = `exec: ${JSON.stringify(program)}: executable file not found in $PATH`;
  const message = `Internal error occurred: error executing command in container: ${why} (it is simulated: see sim.slipway.dev annotations)`;
  return { metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 } as Partial<Status>;
}

function allInput(terminal: Terminal): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    terminal.listen(
      (bytes) => {
        if (length < longestInput) parts.push(bytes);
        length += bytes.length;
      },
      () => resolve(Buffer.concat(parts).subarray(0, longestInput)),
    );
  });
}
