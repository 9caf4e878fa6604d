import { spawnSync } from 'node:child_process';

/** Counts the bytes that processes send to a port and receive from it, as the kernel has them of each connection. */
export class Traffic {
  readonly #port: number;
  readonly #connections = new Map<string, { readonly pid: number; readonly bytes: number }>();

  constructor(port: number) {
    this.#port = port;
  }

  /** What a connection carried after the last look at it, before it was closed, is not counted. */
  look(): void {
    const { stdout } = spawnSync('ss', ['-tinpHO', 'dst', `127.0.0.1:${this.#port}`], { encoding: 'utf8' });
    for (const line of stdout.split('\n')) {
      const [, , , local = ''] = line.split(/\s+/);
      const count = (name: string) => Number(new RegExp(`\\b${name}:(\\d+)`).exec(line)?.[1] ?? 0);
      const bytes = count('bytes_sent') + count('bytes_received');
      this.#connections.set(local, { pid: Number(/pid=(\d+)/.exec(line)?.[1]), bytes });
    }
  }

  of(wanted: number): number {
    return [...this.#connections.values()].reduce((sum, { pid, bytes }) => sum + (pid === wanted ? bytes : 0), 0);
  }
}
