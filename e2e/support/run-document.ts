import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Command, commandsOf, holdsCommands, readBlocks } from '../../tools/document-blocks.js';
import { comparableLines, showsOutput } from '../../tools/document-output.js';
import { findKubectl } from '../../tools/real-parts.js';
import { freePort } from './free-port.js';
import { ShellCommand } from './shell-command.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
/** Folders whose files commands name. They are copied: kubectl does not follow links. */
const copied = ['deploy', 'examples', 'keps', 'monitoring'];

const startsCluster = /^npm start\b|slipway up\b/;
/** These print something only when something changes. */
const showsChanges = /slipway (pulls top|feature watch)\b|\s(-w|--watch)\b/;
/** These go on until they are ended. */
const keepsRunning = new RegExp(`${startsCluster.source}|slipway (run|console|pulls serve)\\b|${showsChanges.source}`);
/** These change nothing and can be repeated until what is under way has arrived. */
const onlyReads =
  /^kubectl .*\b(get|describe)\b|slipway (feature|node|pulls|dev server) (get|list|uses|explain|audit)\b/;

const arrivesWithinMs = 30_000;
const endsWithinMs = 120_000;

/** What a document takes for granted besides programs. */
export interface Stage extends AsyncDisposable {
  /** Host of images in the document, and the registry that stands for it. */
  readonly registry: readonly [named: string, real: string];
}

/**
 * Runs the commands of a document in their order, as a person with a fresh clone and a home of their own would, and compares
 * what they print with what the document shows. CONTRIBUTING.md says how documents are written. Ports of 127.0.0.1 that
 * a document names are replaced by free ones, and paths below `/run` by paths in a temporary folder.
 * @param path of the document, relative to the root of the repository
 * @param prepare makes in the temporary folder what the document takes for granted
 * @throws Error which line did not do what the document says, and what it printed
 */
export async function runDocument(path: string, prepare?: (folder: string) => Promise<Stage>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-doc-'));
  try {
    await using stage = await prepare?.(folder);
    await using reader = new Reader(path, folder, stage);
    for (const block of readBlocks(path)) {
      if (block.notRun !== undefined) continue;
      if (holdsCommands(block)) for (const command of commandsOf(block)) await reader.type(command);
      else await reader.save(block.text);
    }
    reader.requireRunning();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A person who reads a document and does what it says. */
class Reader implements AsyncDisposable {
  readonly #path: string;
  readonly #folder: string;
  readonly #stage: Stage | undefined;
  readonly #env: NodeJS.ProcessEnv;
  readonly #ports = new Map<string, string>();
  readonly #started: ShellCommand[] = [];
  /** Commands that should still run, as the document has them. */
  readonly #inBackground = new Map<ShellCommand, Command>();

  constructor(path: string, folder: string, stage: Stage | undefined) {
    this.#path = path;
    this.#folder = folder;
    this.#stage = stage;
    for (const name of readdirSync(repository)) {
      if (copied.includes(name)) cpSync(join(repository, name), join(folder, name), { recursive: true });
      else if (name !== '.git') symlinkSync(join(repository, name), join(folder, name));
    }
    for (const name of ['home', 'tmp', 'run']) mkdirSync(join(folder, name), { recursive: true });
    // npm adds folders with programs of this repository, which a fresh clone does not have.
    const own = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'));
    this.#env = {
      PATH: [dirname(findKubectl() ?? ''), ...own].join(delimiter),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      NO_COLOR: '1',
    };
  }

  /** Types a command and holds it against what the document says of it. */
  async type(command: Command): Promise<void> {
    this.requireRunning();
    const text = await this.#placed(command.text);
    if (keepsRunning.test(text)) return await this.#keep(text, command);
    // What needed the cluster ends in its own way now.
    if (/slipway down\b/.test(text)) this.#inBackground.clear();
    const expectedCode = Number(/#.*\bexits with (\d)\b/.exec(text)?.[1] ?? 0);
    const untilMs = Date.now() + (onlyReads.test(text) ? arrivesWithinMs : 0);
    for (;;) {
      const typed = this.#start(text);
      const code = await typed.ended(endsWithinMs);
      if (code === expectedCode && this.#isShown(typed, command)) return;
      if (Date.now() >= untilMs) throw this.#mistake(typed, command);
      await pause(500);
    }
  }

  /** Writes a block to the file that its first line names, if it names one. */
  async save(text: string): Promise<void> {
    const [, name] = /^(?:#|\/\/) ([\w.-]+\.(?:ya?ml|json))\n/.exec(text) ?? [];
    if (name !== undefined) writeFileSync(join(this.#folder, name), await this.#placed(text));
  }

  /** @throws Error when a command has ended that should still run */
  requireRunning(): void {
    for (const [running, command] of this.#inBackground) {
      if (running.code !== undefined && running.code !== 0) throw this.#mistake(running, command);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((one) => one.end()));
  }

  #start(text: string): ShellCommand {
    const started = new ShellCommand(text, { cwd: this.#folder, env: this.#env });
    this.#started.push(started);
    return started;
  }

  async #keep(text: string, command: Command): Promise<void> {
    const running = this.#start(text);
    this.#inBackground.set(running, command);
    const works = startsCluster.test(text) ? /is up after/ : /\S/;
    const isSilent = showsChanges.test(text);
    const isReady = (await running.says(works, isSilent ? 2_000 : endsWithinMs)) || isSilent;
    this.requireRunning();
    if (!isReady || !this.#isShown(running, command)) throw this.#mistake(running, command);
  }

  #isShown(typed: ShellCommand, { output }: Command): boolean {
    return output === undefined || showsOutput(this.#printed(typed), output);
  }

  /** The text with ports and paths of this run. */
  async #placed(text: string): Promise<string> {
    for (const [, port = ''] of text.matchAll(/127\.0\.0\.1:([1-9]\d{3,4})\b/g)) {
      if (!this.#ports.has(port)) this.#ports.set(port, String(await freePort()));
    }
    const [named, real] = this.#stage?.registry ?? ['registry.example', 'registry.example'];
    return text
      .replaceAll(named, real)
      .replace(/(?<=127\.0\.0\.1:)[1-9]\d{3,4}\b/g, (port) => this.#ports.get(port) ?? port)
      .replace(/(?<=[\s"'=]|unix:\/\/)\/run\//g, `${this.#folder}/run/`);
  }

  /** What a command has printed, with the paths and the registry of the document. */
  #printed({ output }: ShellCommand): string {
    const text = output.replaceAll(this.#folder, '');
    const [named, real] = this.#stage?.registry ?? [];
    return named !== undefined && real !== undefined ? text.replaceAll(real, named) : text;
  }

  #mistake(typed: ShellCommand, { line, text, output }: Command): Error {
    const done = typed.code === undefined ? 'runs' : `exited with ${typed.code}`;
    const shown = output === undefined ? '' : `\nthe document shows:\n${comparableLines(output).join('\n')}`;
    return new Error(`${this.#path}:${line}: ${text}\n${done} and printed:\n${this.#printed(typed)}${shown}`);
  }
}
