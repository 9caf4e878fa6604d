import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/** A command line in a shell of its own, with all that it starts. Its two outputs are one, as on a terminal. */
export class ShellCommand {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  output = '';
  /** Undefined while it runs; null after a signal. */
  code: number | null | undefined;

  constructor(text: string, options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }) {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    this.#child = spawn('sh', ['-c', `exec 2>&1\n${text}`], { ...options, detached: true, stdio: [...stdio] });
    this.#child.stdout?.on('data', (chunk) => {
      this.output += String(chunk);
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        this.code = code;
        resolve(code);
      });
    });
  }

  /** Resolves with true when it has printed something that matches, with false when it has ended or not printed it in time. */
  async says(pattern: RegExp, withinMs: number): Promise<boolean> {
    const untilMs = Date.now() + withinMs;
    while (!pattern.test(this.output)) {
      if (this.code !== undefined || Date.now() > untilMs) return false;
      await pause(100);
    }
    return true;
  }

  /** Resolves when it has ended by itself; it is killed when it takes longer. */
  async ended(withinMs: number): Promise<number | null> {
    const slow = setTimeout(() => this.#signal('SIGKILL'), withinMs);
    const code = await this.#ended;
    clearTimeout(slow);
    return code;
  }

  /** Asks it to end, and kills it when it takes longer than 15 s. */
  async end(): Promise<void> {
    if (this.code !== undefined) return;
    this.#signal('SIGTERM');
    await this.ended(15_000);
  }

  #signal(name: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, name);
    } catch (error) {
      // The group has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
