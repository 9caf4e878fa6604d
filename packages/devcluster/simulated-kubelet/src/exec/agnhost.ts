import { posix } from 'node:path';
import { sleep } from '@slipway/kube';
import { simulatedDurationMs } from '../simulation/simulation-text.js';
import { FileError } from './pod-disk.js';
import type { Process, Program } from './process.js';

const newFileText = 'mount-tester new file\n';
const retryMs = 2_000;
const pausedMs = 2 ** 31 - 1;
const methods = ['GET', 'POST', 'PUT'];
const namespaces = ['kube-system', 'default', 'ns'];

/** The commands of Kubernetes' own test image that need no network; its servers only run. */
const commands: Readonly<Record<string, (process: Process, args: readonly string[]) => number | Promise<number>>> = {
  'entrypoint-tester': ({ out }, args) => {
    out(`[${args.join(' ')}]\n`);
    return 0;
  },
  'etc-hosts': async (process) => {
    process.out(await contentOf(process, '/etc/hosts'));
    return 0;
  },
  mounttest: (process, args) => mounttest(process, flagsOf(args)),
  pause,
  'logs-generator': async ({ clock, gone, out }, args) => {
    const { 'log-lines-total': total = '0', 'run-duration': duration = '0s' } = flagsOf(args);
    const lines = Number(total);
    const everyMs = (simulatedDurationMs(duration) ?? 0) / lines;
    for (let line = 0; line < lines && !gone.aborted; line++) {
      const method = methods[line % methods.length];
      const namespace = namespaces[line % namespaces.length];
      out(
        `I0101 00:00:00.000000       1 logs_generator.go:76] ${line} ${method} /api/v1/namespaces/${namespace}/pods/p${line} 200\n`,
      );
      await sleep(clock, everyMs, gone).catch(() => {});
    }
    return 0;
  },
};

/** Runs until it is stopped. */
async function pause({ clock, gone, out }: Process): Promise<number> {
  out('Paused\n');
  while (!gone.aborted) await sleep(clock, pausedMs, gone).catch(() => {});
  return 0;
}

/** The program of the image `agnhost`: its first argument says what it does. */
export const agnhost: Program = async (process, args) => {
  const [name = 'pause'] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return process.unknown ? process.unknown() : 1;
  return command(process, name === 'entrypoint-tester' ? [process.path, ...args] : args.slice(1));
};

/** Tells what is at paths, and writes files, in this order: what the flags name. */
async function mounttest(process: Process, flags: Readonly<Record<string, string>>): Promise<number> {
  let failures = 0;
  const attempt = async (path: string | undefined, act: (path: string) => void | Promise<void>) => {
    if (!path) return;
    try {
      await act(path);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.out(`error of ${JSON.stringify(path)}: ${error.message}\n`);
      failures++;
    }
  };
  const { files, out } = process;
  const named = JSON.stringify;
  const factsOf = (path: string) => {
    if (!files.isFile(path) && !files.isFolder(path)) throw new FileError('no such file or directory');
    return files.facts(path);
  };
  const readIt = async (path: string) => out(`content of file ${named(path)}: ${await contentOf(process, path)}\n`);
  await attempt(flags.fs_type, (path) => out(`mount type of ${named(path)}: ${files.fileSystemOf(path)}\n`));
  for (const mode of ['0644', '0666', '0660', '0777']) {
    await attempt(flags[`new_file_${mode}`], async (path) => {
      files.write(path, Buffer.from(newFileText), Number.parseInt(mode, 8));
      await readIt(path);
    });
  }
  await attempt(flags.file_mode, (path) => {
    out(`mode of file ${named(path)}: ${files.isFolder(path) ? 'd' : '-'}${letters(factsOf(path).mode)}\n`);
  });
  await attempt(flags.file_perm, (path) => out(`perms of file ${named(path)}: -${letters(factsOf(path).mode)}\n`));
  await attempt(flags.file_content, readIt);
  await attempt(flags.file_content_in_loop, (path) => readAgain(process, path, flags));
  return failures === 0 ? 0 : 1;
}

async function readAgain(process: Process, path: string, flags: Readonly<Record<string, string>>): Promise<void> {
  const { clock, gone, out } = process;
  const { retry_time: seconds = '180', break_on_expected_content: stops = 'true' } = flags;
  const untilMs = clock.now() + Number(seconds) * 1000;
  while (clock.now() < untilMs && !gone.aborted) {
    try {
      const content = await contentOf(process, path);
      out(`content of file ${JSON.stringify(path)}: ${content}\n`);
      if (stops === 'true' && content === newFileText) return;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      out(`Error reading file ${path}: open ${path}: ${error.message}, retrying\n`);
    }
    await sleep(clock, retryMs, gone).catch(() => {});
  }
}

async function contentOf({ files, folder }: Process, path: string): Promise<string> {
  const content = await files.read(posix.resolve(folder, path));
  if (!content) throw new FileError('no such file or directory');
  return content.toString();
}

/** Permission bits as `ls` has them. */
function letters(mode: number): string {
  return Array.from({ length: 9 }, (_, at) => ((mode >> (8 - at)) & 1 ? 'rwx'.charAt(at % 3) : '-')).join('');
}

/** `--name=value` and `--name value`. */
function flagsOf(args: readonly string[]): Readonly<Record<string, string>> {
  const flags: Record<string, string> = Object.create(null);
  for (const [at, arg] of args.entries()) {
    const [, name, value] = /^--([a-z0-9_-]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    if (name !== undefined) flags[name] = value ?? args[at + 1] ?? '';
  }
  return flags;
}
