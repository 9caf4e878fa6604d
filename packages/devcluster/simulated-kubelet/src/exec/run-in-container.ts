import type { Status } from '@slipway/kube';
import { exitStatus } from '@slipway/kube-objects/node-connection/exit-status';
import type { CommandRequest } from '@slipway/kube-objects/node-connection/node-connection';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { ContainerFiles } from './container-files.js';
import type { ContainerView } from './container-view.js';
import { environmentOf } from './environment.js';
import { inputFrom } from './input.js';
import type { Process } from './process.js';
import { runCommand } from './shell.js';
import { userIdsOf } from './user-ids.js';

/** Runs a command in a simulated container, and tells the client how it ended. */
export async function runInContainer(view: ContainerView, request: CommandRequest, terminal: Terminal): Promise<void> {
  const code = await exitCodeOf(view, request, terminal);
  terminal.finish(code === undefined ? missing(view.run, request.command[0] ?? '') : exitStatus(code));
}

/** What becomes of a command that needs what is not simulated. */
export interface Unknown {
  /** Resolves with its exit code. */
  readonly run: () => Promise<number>;
  /** Which missing files excuse a failure: those that its image could have, or all of them. */
  readonly excuses: 'image' | 'all';
}

/**
 * Runs a command in a simulated container. Resolves with its exit code; undefined when there is no such program.
 * @param unknown default: what needs something that is not simulated fails
 */
export async function exitCodeOf(
  view: ContainerView,
  { command, stdin, tty }: CommandRequest,
  terminal: Terminal,
  unknown?: Unknown,
): Promise<number | undefined> {
  const onScreen = (bytes: string | Uint8Array) =>
    tty
      ? Buffer.from(
          Buffer.from(bytes as string)
            .toString('latin1')
            .replaceAll('\n', '\r\n'),
          'latin1',
        )
      : bytes;
  const out = (bytes: string | Uint8Array) => {
    const raw = Buffer.from(onScreen(bytes) as string);
    for (let at = 0; at < raw.length; at += pieceBytes) terminal.stdout(raw.subarray(at, at + pieceBytes));
  };
  const keyboard = stdin && tty ? terminal : undefined;
  const files = new ContainerFiles(view);
  const process: Process = {
    path: command[0] ?? '',
    unknown: unknown?.run,
    environment: environmentOf(view),
    files,
    folder: (view.container.workingDir as string | undefined) || '/',
    input: stdin && !keyboard ? inputFrom(terminal) : undefined,
    out,
    err: tty ? out : (text) => terminal.stderr(Buffer.from(text)),
    request: async ({ host, ...request }) => {
      const own = host === 'localhost' || host === '127.0.0.1';
      const address = own ? (view.pod.status?.podIP ?? '') : host;
      return view.network?.request({ ...request, address });
    },
    size: () => terminal.size,
    clock: view.clock,
    gone: terminal.gone,
    ids: userIdsOf(view),
    isOver: false,
  };
  const code = await runCommand({ view, process, keyboard }, command);
  if (!unknown) return code;
  const isExcused = files.missing === 'of-image' || (files.missing === 'some' && unknown.excuses === 'all');
  return code === undefined || (code !== 0 && isExcused) ? unknown.run() : code;
}

/** What is written goes out in pieces: clients take no message of any length, in bytes. */
const pieceBytes = 32 * 1024;

/** What a kubelet makes of what containerd and runc say. */
function missing(run: string, program: string): Partial<Status> {
  const named = JSON.stringify(program);
  const why = program.includes('/')
    ? `stat ${program}: no such file or directory`
    : 'executable file not found in $PATH';
  const ofRuntime = `OCI runtime exec failed: exec failed: unable to start container process: exec: ${named}: ${why}: unknown`;
  const said = `error executing command in container: failed to exec in container: failed to start exec ${JSON.stringify(run)}: ${ofRuntime}`;
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${said} (it is simulated: see sim.slipway.dev annotations)`,
    reason: 'InternalError',
    details: { causes: [{ message: said }] },
    code: 500,
  } as Partial<Status>;
}
