import { posix } from 'node:path';
import { sleep } from '@slipway/kube';
import { agnhost } from './agnhost.js';
import { fileCommands } from './file-commands.js';
import { formatted, unescaped } from './format-text.js';
import { httpCommands } from './http-commands.js';
import { numberCommands } from './number-commands.js';
import type { Process, Program } from './process.js';
import { tar } from './tar-command.js';
import { testCommands } from './test-command.js';
import { textCommands } from './text-commands.js';

const longestSleepMs = 2 ** 31 - 1;

/** What a simulated container can run beside its shell: enough to look around, and for scripts that check things. */
export const programs: Readonly<Record<string, Program>> = {
  ...fileCommands,
  ...textCommands,
  ...numberCommands,
  ...testCommands,
  ...httpCommands,
  agnhost,
  'agnhost-2': agnhost,
  tar,
  true: () => 0,
  false: () => 1,
  ':': () => 0,
  echo({ out }, args) {
    const flags = /^-[neE]+$/.test(args[0] ?? '') ? (args[0] ?? '') : '';
    const text = args.slice(flags === '' ? 0 : 1).join(' ');
    out((flags.includes('e') ? unescaped(text) : text) + (flags.includes('n') ? '' : '\n'));
    return 0;
  },
  printf({ out }, [format = '', ...values]) {
    out(formatted(format, values));
    return 0;
  },
  env({ environment, out }) {
    for (const [name, value] of environment) out(`${name}=${value}\n`);
    return 0;
  },
  printenv({ environment, out, ...rest }, [name, ...more]) {
    if (name === undefined) return (programs.env as Program)({ environment, out, ...rest } as Process, more);
    const value = environment.get(name);
    if (value !== undefined) out(`${value}\n`);
    return value === undefined ? 1 : 0;
  },
  hostname({ environment, out }) {
    out(`${environment.get('HOSTNAME')}\n`);
    return 0;
  },
  pwd({ folder, out }) {
    out(`${folder}\n`);
    return 0;
  },
  cd(process, [path = '/']) {
    const folder = posix.resolve(process.folder, path);
    if (!process.files.isFolder(folder)) {
      process.err(`sh: cd: can't cd to ${path}: No such file or directory\n`);
      return 2;
    }
    process.folder = folder;
    return 0;
  },
  async cat({ files, folder, input, out, err }, args) {
    let code = 0;
    for (const path of args.length === 0 ? ['-'] : args) {
      if (path === '-') {
        for (let bytes = await input?.next(); bytes; bytes = await input?.next()) out(bytes);
        continue;
      }
      const content = await files.read(posix.resolve(folder, path));
      if (content) out(content);
      else {
        const why = files.isFolder(posix.resolve(folder, path)) ? 'Is a directory' : 'No such file or directory';
        err(`cat: ${path}: ${why}\n`);
        code = 1;
      }
    }
    return code;
  },
  ls({ files, folder, out, err }, args) {
    const paths = args.filter((each) => !each.startsWith('-'));
    let code = 0;
    for (const path of paths.length === 0 ? ['.'] : paths) {
      const full = posix.resolve(folder, path);
      if (files.isFile(full)) out(`${path}\n`);
      else if (files.isFolder(full)) {
        if (paths.length > 1) out(`${path}:\n`);
        for (const name of files.list(full)) out(`${name}\n`);
      } else {
        err(`ls: cannot access '${path}': No such file or directory\n`);
        code = 2;
      }
    }
    return code;
  },
  async sleep({ clock, gone, err }, args) {
    if (args[0] === 'infinity') {
      await sleep(clock, longestSleepMs, gone).catch(() => {});
      return 0;
    }
    const match = /^(\d+(?:\.\d+)?)(s|m|h|d)?$/.exec(args[0] ?? '');
    if (!match) {
      err(`sleep: invalid time interval '${args[0] ?? ''}'\n`);
      return 1;
    }
    const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] ?? 's'] as number;
    await sleep(clock, Math.min(Number(match[1]) * unitMs, longestSleepMs), gone).catch(() => {});
    return 0;
  },
  date({ clock, out }) {
    out(`${new Date(clock.now()).toUTCString()}\n`);
    return 0;
  },
  id({ out, ids }, args) {
    const { user, group, groups } = ids;
    const named = (id: number) => (id === 0 ? '0(root)' : String(id));
    if (args[0] === '-u') out(`${user}\n`);
    else if (args[0] === '-g') out(`${group}\n`);
    else if (args[0] === '-G') out(`${groups.join(' ')}\n`);
    else out(`uid=${named(user)} gid=${named(group)} groups=${groups.map(named).join(',')}\n`);
    return 0;
  },
  whoami({ out, err, ids: { user } }) {
    if (user === 0) out('root\n');
    else err(`whoami: unknown uid ${user}\n`);
    return user === 0 ? 0 : 1;
  },
  uname({ environment, out }, args) {
    out(args.includes('-a') ? `Linux ${environment.get('HOSTNAME')} simulated\n` : 'Linux\n');
    return 0;
  },
  /** How large the terminal is that the client has. */
  stty({ size, out, err }, args) {
    const known = size();
    if (args[0] !== 'size' || !known) {
      err('stty: standard input: not a terminal\n');
      return 1;
    }
    out(`${known.Height} ${known.Width}\n`);
    return 0;
  },
};
