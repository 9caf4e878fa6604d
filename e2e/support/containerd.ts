import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { criClient, eventually } from '@slipway/image-pulls/testing';
import { ended } from './registry.js';

/** A real containerd of the test's own. */
export interface Containerd {
  readonly socket: string;
  /** SIGKILL, as the OOM killer does it. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT: it is there and does nothing, in no thread any more. */
  freeze(isFrozen: boolean): Promise<void>;
  /** Starts it again on what it left, and waits until its CRI answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface ContainerdOptions {
  /** What starts the program somewhere else, as in a namespace: the words before its name. */
  readonly enter?: readonly string[];
  /** More of the configuration of its CRI plugin, and tables after it. */
  readonly cri?: string;
  /** Path of the program, beside which is its shim; that of the PATH when absent. */
  readonly program?: string;
}

/** Starts containerd with everything it keeps in `folder`. */
export async function startContainerd(
  folder: string,
  { enter = [], cri = '', program = 'containerd' }: ContainerdOptions = {},
): Promise<Containerd> {
  const socket = join(folder, 'containerd.sock');
  const config = join(folder, 'containerd.toml');
  writeFileSync(
    config,
    `version = 2
root = "${join(folder, 'root')}"
state = "${join(folder, 'state')}"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  disable_tcp_service = true
${cri}  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
`,
  );
  let child: ChildProcess | undefined;
  const start = async () => {
    const log = openSync(join(folder, 'containerd.log'), 'a');
    const [first = '', ...words] = [...enter, program, '-c', config];
    child = spawn(first, words, { stdio: ['ignore', log, log] });
    closeSync(log);
    await eventually(
      'containerd serves images',
      async () => {
        const client = criClient(socket);
        const { code } = await client.call('/runtime.v1.ImageService/ListImages', Buffer.alloc(0)).result;
        client.close();
        return code === 0;
      },
      20_000,
    );
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!child) return;
    child.kill(signal);
    await ended(child);
  };
  await start();
  const freeze = async (isFrozen: boolean) => {
    child?.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT');
    await eventually('the signal has arrived', () => standsStill(child?.pid ?? 0) === isFrozen);
  };
  return { socket, start, freeze, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

/** Whether each thread of a process is stopped: T in what proc(5) calls its state. */
function standsStill(pid: number): boolean {
  const threads = `/proc/${pid}/task`;
  try {
    return readdirSync(threads).every((thread) => / T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
  } catch {
    // A thread has ended meanwhile, which it does not while it stands still.
    return false;
  }
}
