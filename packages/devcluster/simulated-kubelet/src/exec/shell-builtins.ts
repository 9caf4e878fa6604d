import type { Process } from './process.js';
import { NotSimulatedError } from './shell-grammar.js';
import type { ShellState } from './shell-state.js';

/** What a builtin works on: its own shell. */
export interface BuiltinContext {
  readonly process: Process;
  readonly state: ShellState;
  readonly assign: (name: string, value: string) => void;
  readonly runWords: (words: readonly string[]) => Promise<void>;
  readonly runScript: (script: string) => Promise<void>;
}

/** A command of the shell itself. Resolves with its exit code; undefined when that is the one of what it ran. */
export type ShellBuiltin = (
  context: BuiltinContext,
  args: readonly string[],
) => number | undefined | Promise<number | undefined>;

const variableName = /^[A-Za-z_]\w*$/;

/** Sets `NAME=VALUE` and leaves `NAME` as it is: variables of a shell are all in its environment. */
const declare: ShellBuiltin = ({ assign }, args) => {
  for (const each of args) {
    const at = each.indexOf('=');
    if (at > 0) assign(each.slice(0, at), each.slice(at + 1));
  }
  return 0;
};

const leaveLoops =
  (kind: 'break' | 'continue'): ShellBuiltin =>
  ({ state }, [levels = '1']) => {
    state.leaving = { kind, levels: Math.max(1, Number(levels) || 1) };
    return 0;
  };

/** Builtins that change the shell which runs them. */
export const shellBuiltins: Readonly<Record<string, ShellBuiltin>> = {
  exit({ process, state }, [code]) {
    process.isOver = true;
    return code === undefined ? state.code : Number(code) & 255;
  },
  return({ state }, [code]) {
    state.leaving = { kind: 'return', levels: 1 };
    return code === undefined ? state.code : Number(code) & 255;
  },
  break: leaveLoops('break'),
  continue: leaveLoops('continue'),
  export: declare,
  local: declare,
  readonly: declare,
  unset({ process }, args) {
    for (const name of args) process.environment.delete(name);
    return 0;
  },
  set({ state }, args) {
    for (const arg of args) {
      if (/^-[a-z]*e/.test(arg)) state.isStrict = true;
      if (/^\+[a-z]*e/.test(arg)) state.isStrict = false;
    }
    const from = args.indexOf('--');
    if (from >= 0) state.parameters.splice(0, state.parameters.length, ...args.slice(from + 1));
    return 0;
  },
  shift({ state }, [count = '1']) {
    if (Number(count) > state.parameters.length) return 1;
    state.parameters.splice(0, Number(count));
    return 0;
  },
  trap({ state }, [action = '', ...signals]) {
    for (const signal of signals.map((each) => each.replace(/^SIG/, ''))) {
      if (action === '-') state.traps.delete(signal);
      else state.traps.set(signal, action);
    }
    return 0;
  },
  async wait({ process, state }) {
    const killed = new Promise<void>((resolve) => {
      if (process.gone.aborted) resolve();
      process.gone.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([Promise.all(state.jobs), killed]);
    return 0;
  },
  async read({ process, assign }, args) {
    const names = args.filter((arg) => variableName.test(arg));
    const line = await process.input?.line();
    const words = (line ?? '').trim().split(/\s+/);
    for (const [index, name] of (names.length === 0 ? ['REPLY'] : names).entries()) {
      assign(name, index === names.length - 1 ? words.slice(index).join(' ') : (words[index] ?? ''));
    }
    return line === undefined ? 1 : 0;
  },
  async eval({ runScript }, args) {
    await runScript(args.join(' '));
    return undefined;
  },
  /** Runs a program in place of the shell. */
  async exec({ process, runWords }, args) {
    if (args.length === 0) return 0;
    await runWords(args);
    process.isOver = true;
    return undefined;
  },
  '.': () => {
    throw new NotSimulatedError('"."');
  },
};
