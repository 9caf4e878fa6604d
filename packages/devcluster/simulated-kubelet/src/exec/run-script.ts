import { sleep } from '@slipway/kube';
import { expandText, expandWords, matchesPattern, type Surroundings } from './expand-words.js';
import { inputOf } from './input.js';
import { parseScript } from './parse-script.js';
import type { Process } from './process.js';
import { RedirectionError, redirect } from './redirect.js';
import { type ShellBuiltin, shellBuiltins } from './shell-builtins.js';
import {
  type Command,
  NotSimulatedError,
  type Script,
  ScriptError,
  type ScriptItem,
  type Word,
} from './shell-grammar.js';
import type { ShellState } from './shell-state.js';

const notFound = 127;
/** A loop that never waits is slowed down: the machine is everybody's. */
const roundsBetweenPauses = 100;
const pauseMs = 10;
const maxDepth = 100;
const maxJobs = 100;
/** What a command can write for another to read, in bytes. */
const maxPipedBytes = 16 * 1024 * 1024;

/** Runs one program. Resolves with its exit code; undefined when there is no such program. */
export type RunProgram = (process: Process, words: readonly string[]) => Promise<number | undefined>;

/** Runs scripts in one process. */
export class ScriptRunner {
  readonly #process: Process;
  readonly #state: ShellState;
  readonly #runProgram: RunProgram;
  readonly #around: Surroundings;
  #depth = 0;
  #rounds = 0;
  /** More than 0 in what is only asked whether it succeeds. */
  #asked = 0;

  constructor(process: Process, state: ShellState, runProgram: RunProgram) {
    this.#process = process;
    this.#state = state;
    this.#runProgram = runProgram;
    this.#around = {
      valueOf: (name) => this.#valueOf(name),
      assign: (name, value) => this.#assign(name, value),
      parameters: state.parameters,
      outputOf: (script) => this.#outputOf(script),
    };
  }

  /** Runs a script until it ends or says `exit`. Resolves with the exit code. */
  async run(script: string): Promise<number> {
    const [process, state] = [this.#process, this.#state];
    try {
      await this.#items(parseScript(script));
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      process.err(`${process.path}: ${error.message}\n`);
      process.isOver ||= process.unknown !== undefined;
      state.code = error instanceof NotSimulatedError && process.unknown ? await process.unknown() : 2;
    }
    return state.code;
  }

  /** Runs what `trap ... EXIT` said. */
  async leave(): Promise<number> {
    const { code, traps } = this.#state;
    const trap = traps.get('EXIT') ?? traps.get('0');
    if (trap === undefined || this.#process.gone.aborted) return code;
    traps.clear();
    this.#process.isOver = false;
    await this.run(trap);
    if (!this.#process.isOver) this.#state.code = code;
    this.#process.isOver = true;
    return this.#state.code;
  }

  get #isLeaving(): boolean {
    return this.#process.isOver || this.#state.leaving !== undefined || this.#process.gone.aborted;
  }

  async #items(script: Script): Promise<void> {
    for (const [index, item] of script.entries()) {
      if (this.#isLeaving) return;
      if ((item.when === '&&' && this.#state.code !== 0) || (item.when === '||' && this.#state.code === 0)) continue;
      const nextWhen = script[index + 1]?.when ?? ';';
      const isAsked = item.isNegated || nextWhen !== ';';
      await (item.isBackground ? this.#inBackground(item) : this.#pipeline(item, isAsked));
      if (this.#state.isStrict && !isAsked && this.#asked === 0 && this.#state.code !== 0) this.#process.isOver = true;
    }
  }

  async #pipeline({ pipeline, isNegated }: ScriptItem, isAsked: boolean): Promise<void> {
    if (isAsked) this.#asked++;
    const [first, ...piped] = pipeline;
    if (piped.length === 0) await this.#command(first);
    else await this.#piped(pipeline);
    if (isAsked) this.#asked--;
    if (isNegated) this.#state.code = this.#state.code === 0 ? 1 : 0;
  }

  /** Each command has all that the one before has written. None of them ends the shell. */
  async #piped(pipeline: readonly Command[]): Promise<void> {
    const process = this.#process;
    const { input, out } = process;
    try {
      for (const [at, command] of pipeline.entries()) {
        const written = collector();
        process.out = at === pipeline.length - 1 ? out : written.take;
        await this.#command(command);
        process.isOver = false;
        process.input = inputOf(written.all());
      }
    } finally {
      Object.assign(process, { input, out });
    }
  }

  async #inBackground(item: ScriptItem): Promise<void> {
    const { jobs } = this.#state;
    if (jobs.size >= maxJobs) throw new ScriptError("can't fork: Resource temporarily unavailable");
    const runner = this.#fork();
    const job = runner.#pipeline(item, true).finally(() => jobs.delete(job));
    // A script that cannot be run ends its own job.
    job.catch(() => {});
    jobs.add(job);
    this.#state.code = 0;
  }

  /** A shell that begins as this one is, and changes nothing of it. */
  #fork(): ScriptRunner {
    const process = { ...this.#process, environment: new Map(this.#process.environment), isOver: false };
    const state = { ...this.#state, traps: new Map<string, string>(), jobs: new Set<Promise<void>>() };
    const runner = new ScriptRunner(process, state, this.#runProgram);
    runner.#depth = this.#depth + 1;
    return runner;
  }

  async #outputOf(script: Script): Promise<string> {
    if (this.#depth >= maxDepth) throw new ScriptError('too many shells in each other');
    const runner = this.#fork();
    const written = collector();
    runner.#process.out = written.take;
    await runner.#items(script);
    this.#state.code = runner.#state.code;
    return written.all().toString();
  }

  async #command(command: Command): Promise<void> {
    if (command.redirections.length === 0) return this.#body(command);
    const process = this.#process;
    const { input, out, err } = process;
    try {
      const writeFiles = await redirect(process, command.redirections, (word) => expandText(word, this.#around));
      await this.#body(command);
      writeFiles();
    } catch (error) {
      if (!(error instanceof RedirectionError)) throw error;
      err(`${this.#process.path}: ${error.message}\n`);
      this.#state.code = 1;
    } finally {
      Object.assign(process, { input, out, err });
    }
  }

  async #body(command: Command): Promise<void> {
    switch (command.kind) {
      case 'simple':
        return this.#simple(command);
      case 'group':
        return command.isSubshell ? this.#subshell(command.body) : this.#items(command.body);
      case 'if': {
        for (const { condition, body } of command.branches) {
          if (await this.#succeeds(condition)) return this.#items(body);
          if (this.#isLeaving) return;
        }
        this.#state.code = 0;
        return this.#items(command.otherwise);
      }
      case 'while': {
        let code = 0;
        const goesOn = async () => (await this.#succeeds(command.condition)) === (command.endsOn === 'failure');
        while ((await goesOn()) && (await this.#round(command.body))) code = this.#state.code;
        if (!this.#isLeaving) this.#state.code = code;
        return;
      }
      case 'for': {
        const values = command.words ? await expandWords(command.words, this.#around) : this.#state.parameters;
        this.#state.code = 0;
        for (const value of values) {
          this.#assign(command.name, value);
          if (!(await this.#round(command.body))) return;
        }
        return;
      }
      case 'case': {
        const subject = await expandText(command.subject, this.#around);
        this.#state.code = 0;
        for (const { patterns, body } of command.arms) {
          for (const pattern of patterns) {
            if (matchesPattern(subject, await expandText(pattern, this.#around))) return this.#items(body);
          }
        }
        return;
      }
      case 'function':
        this.#state.functions.set(command.name, command.body);
        this.#state.code = 0;
    }
  }

  async #subshell(body: Script): Promise<void> {
    if (this.#depth >= maxDepth) throw new ScriptError('too many shells in each other');
    const runner = this.#fork();
    await runner.#items(body);
    this.#state.code = runner.#state.code;
  }

  async #succeeds(condition: Script): Promise<boolean> {
    this.#asked++;
    await this.#items(condition);
    this.#asked--;
    return !this.#isLeaving && this.#state.code === 0;
  }

  /** One round of a loop. Returns whether there may be another. */
  async #round(body: Script): Promise<boolean> {
    const { gone, clock } = this.#process;
    await this.#items(body);
    if (++this.#rounds % roundsBetweenPauses === 0) await sleep(clock, pauseMs, gone).catch(() => {});
    const { leaving } = this.#state;
    if (leaving === undefined || leaving.kind === 'return') return !this.#isLeaving;
    this.#state.leaving = leaving.levels > 1 ? { ...leaving, levels: leaving.levels - 1 } : undefined;
    return leaving.kind === 'continue' && leaving.levels === 1;
  }

  async #simple({ assignments, words: written }: Extract<Command, { kind: 'simple' }>): Promise<void> {
    const { environment } = this.#process;
    const before = this.#state.code;
    const words = await expandWords(written, this.#around);
    const values = new Map<string, string>();
    for (const { name, value } of assignments) values.set(name, await expandText(value, this.#around));
    if (words.length === 0) {
      // The code of `A=$(false)` is that of what is in it.
      if (!hasOutput(assignments.flatMap(({ value }) => value))) this.#state.code = 0;
      for (const [name, value] of values) this.#assign(name, value);
      return;
    }
    this.#state.code = before;
    const overlaid = new Map([...values.keys()].map((name) => [name, environment.get(name)]));
    for (const [name, value] of values) this.#assign(name, value);
    await this.#words(words as [string, ...string[]]);
    for (const [name, value] of overlaid) {
      if (value === undefined) environment.delete(name);
      else environment.set(name, value);
    }
  }

  async #words([name, ...args]: readonly [string, ...string[]]): Promise<void> {
    const body = this.#state.functions.get(name);
    if (body) return this.#call(body, args);
    const builtin: ShellBuiltin | undefined = Object.hasOwn(shellBuiltins, name) ? shellBuiltins[name] : undefined;
    if (builtin) {
      const ran = await builtin(
        {
          process: this.#process,
          state: this.#state,
          assign: (variable, value) => this.#assign(variable, value),
          runWords: (words) =>
            words[0] === undefined ? Promise.resolve() : this.#words([words[0], ...words.slice(1)]),
          runScript: (script) => this.#items(parseScript(script)),
        },
        args,
      );
      if (ran !== undefined) this.#state.code = ran;
      return;
    }
    const code = await this.#runProgram(this.#process, [name, ...args]);
    if (code === undefined) this.#process.err(`${this.#process.path}: ${name}: not found\n`);
    this.#state.code = code ?? notFound;
  }

  async #call(body: Command, args: readonly string[]): Promise<void> {
    if (this.#depth >= maxDepth) throw new ScriptError('too many functions in each other');
    const state = this.#state;
    const outer = [...state.parameters];
    state.parameters.splice(0, outer.length, ...args);
    this.#depth++;
    await this.#command(body);
    this.#depth--;
    state.parameters.splice(0, state.parameters.length, ...outer);
    if (state.leaving?.kind === 'return') state.leaving = undefined;
  }

  #valueOf(name: string): string | undefined {
    const { parameters, code, name0 } = this.#state;
    if (name === '?') return String(code);
    if (name === '$' || name === '!') return '7';
    if (name === '#') return String(parameters.length);
    if (name === '@' || name === '*') return parameters.join(' ');
    if (name === '0') return name0;
    if (/^\d+$/.test(name)) return parameters[Number(name) - 1];
    if (name === 'RANDOM') return String(this.#state.random());
    return this.#process.environment.get(name);
  }

  #assign(name: string, value: string): void {
    if (value.length > maxPipedBytes / 16) throw new ScriptError(`${name}: out of memory`);
    this.#process.environment.set(name, value);
  }
}

function hasOutput(word: Word): boolean {
  return word.some(({ kind }) => kind === 'output');
}

function collector() {
  const parts: Buffer[] = [];
  let length = 0;
  const take = (bytes: string | Uint8Array) => {
    const part = Buffer.from(bytes as string);
    length += part.length;
    if (length > maxPipedBytes) throw new ScriptError('out of memory');
    parts.push(part);
  };
  return { take, all: () => Buffer.concat(parts) };
}
