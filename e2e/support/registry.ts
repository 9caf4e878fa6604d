import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A real registry behind a front that slows it down, asks for passwords and counts. */
export interface Registry {
  /** `127.0.0.1:PORT` of the front, as images name it. */
  readonly host: string;
  /** Puts an image of so many layers of so many random bytes there; its reference is `host/name:tag`. */
  push(
    name: string,
    options?: { tag?: string; layers?: number; layerBytes?: number; program?: Program },
  ): Promise<string>;
  /** Bytes per second of all layers together; undefined does not slow down. */
  rate(bytesPerSecond: number | undefined): void;
  /** While it holds, layers begin and do not go on. */
  hold(holds: boolean): void;
  /** From now on answers for an image with a status, breaks off its layers, or sends other bytes; undefined is as before. */
  fault(name: string, fault: Fault | undefined): void;
  /** Images of which a layer is under way now. */
  inFlight(): readonly string[];
  /** The most images that were under way at once since the last `forget()`. */
  peak(): number;
  /** How often each image was asked for by its manifest, and each layer was begun, since `forget()`. */
  manifests(name: string): number;
  layers(name: string): number;
  forget(): void;
  stop(): Promise<void>;
}

/** What an image runs, in a layer of its own before the random ones. */
export interface Program {
  readonly entrypoint: readonly string[];
  /** Contents by path, without the first slash. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** A status for manifests, layers cut off in the middle, or layers that are not what their digest says. */
export type Fault = 401 | 404 | 429 | 503 | 'cut' | 'corrupt';

/** The user who may read images whose name starts with `private/`. */
export const reader = { username: 'ann', password: 'right' };

/** Starts `docker-registry` with its data in `folder`. */
export async function startRegistry(folder: string): Promise<Registry> {
  const config = join(folder, 'registry.yml');
  writeFileSync(
    config,
    `version: 0.1\nlog: {level: info}\nstorage: {filesystem: {rootdirectory: ${join(folder, 'registry')}}}\nhttp: {addr: "127.0.0.1:0"}\n`,
  );
  const child = spawn('docker-registry', ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await listeningPort(child);
  const front = await startFront(port);
  return {
    ...front,
    async push(name, { tag = '1', layers = 1, layerBytes = 64 << 10, program } = {}) {
      const tars = Array.from({ length: layers }, (_, at) => tarOf(new Map([[`file-${at}`, randomBytes(layerBytes)]])));
      if (program) tars.unshift(tarOf(program.files));
      await pushImage(port, name, tag, tars, program && { Entrypoint: program.entrypoint });
      return `${front.host}/${name}:${tag}`;
    },
    async stop() {
      await front.stop();
      child.kill('SIGTERM');
      await ended(child);
    },
  };
}

/** Resolves when a process is gone. */
export function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

async function startFront(port: number): Promise<Omit<Registry, 'push'>> {
  let bytesPerSecond: number | undefined;
  let holds = false;
  let freeAtMs = 0;
  let peak = 0;
  const faults = new Map<string, Fault>();
  const open = new Map<ServerResponse, string>();
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const inFlight = () => [...new Set(open.values())];

  /** When the next bytes may go, so that all layers together keep to the rate. */
  const turn = async (bytes: number, response: ServerResponse) => {
    while (holds && !response.destroyed) await pause(5);
    if (bytesPerSecond === undefined) return;
    const nowMs = performance.now();
    freeAtMs = Math.max(freeAtMs, nowMs) + (bytes / bytesPerSecond) * 1_000;
    await pause(freeAtMs - nowMs);
  };
  const server = createServer(async (incoming, response) => {
    const [, name = '', kind = ''] = /^\/v2\/(.+)\/(manifests|blobs)\//.exec(incoming.url ?? '') ?? [];
    if (name.startsWith('private/') && !isReader(incoming)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="registry"' }).end();
      return;
    }
    const fault = faults.get(name);
    if (typeof fault === 'number' && kind === 'manifests') {
      response.writeHead(fault).end();
      return;
    }
    const answer = await forward(port, incoming);
    // Who has hung up meanwhile has no layer under way, and will not close again.
    if (response.destroyed) {
      answer.destroy();
      return;
    }
    let bytesLeft = Number(answer.headers['content-length']);
    const isLayer = kind === 'blobs' && incoming.method === 'GET' && bytesLeft > 4_096;
    if (kind === 'manifests' && incoming.method === 'GET') count(`manifest ${name}`);
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!isLayer) {
      answer.pipe(response);
      return;
    }
    count(`layer ${name}`);
    open.set(response, name);
    response.once('close', () => open.delete(response));
    peak = Math.max(peak, inFlight().length);
    response.flushHeaders();
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (fault === 'corrupt') chunk.fill(0);
      if (fault === 'cut') {
        response.write(chunk.subarray(0, 100));
        response.destroy();
        return;
      }
      for (let at = 0; at < chunk.length; at += 16 << 10) {
        const piece = chunk.subarray(at, at + (16 << 10));
        await turn(piece.length, response);
        if (response.destroyed) return;
        bytesLeft -= piece.length;
        // Its client may go on before this process sees that the response has closed.
        if (bytesLeft === 0) open.delete(response);
        response.write(piece);
      }
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    rate(rate) {
      bytesPerSecond = rate;
      freeAtMs = 0;
    },
    hold(held) {
      holds = held;
    },
    fault(name, fault) {
      if (fault === undefined) faults.delete(name);
      else faults.set(name, fault);
    },
    inFlight,
    peak: () => peak,
    manifests: (name) => seen.get(`manifest ${name}`) ?? 0,
    layers: (name) => seen.get(`layer ${name}`) ?? 0,
    forget() {
      peak = inFlight().length;
      seen.clear();
    },
    async stop() {
      holds = false;
      server.close();
      server.closeAllConnections();
    },
  };
}

function isReader({ headers: { authorization = '' } }: IncomingMessage): boolean {
  const given = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
  return given === `${reader.username}:${reader.password}`;
}

function forward(port: number, { method, url, headers }: IncomingMessage): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { authorization: _, ...sent } = headers;
    const call = request({ host: '127.0.0.1', port, method, path: url, headers: sent, agent: false }, resolve);
    call.once('error', reject);
    call.end();
  });
}

async function pushImage(port: number, name: string, tag: string, tars: readonly Buffer[], runs = {}): Promise<void> {
  const base = `http://127.0.0.1:${port}/v2/${name}`;
  const put = async (bytes: Buffer) => {
    const digest = digestOf(bytes);
    const begun = await fetch(`${base}/blobs/uploads/`, { method: 'POST' });
    const location = begun.headers.get('location') ?? '';
    const done = await fetch(`${location}&digest=${digest}`, { method: 'PUT', body: new Uint8Array(bytes) });
    if (done.status !== 201) throw new Error(`blob of ${name}: ${done.status} ${await done.text()}`);
    return { digest, size: bytes.length };
  };
  const pushed = await Promise.all(tars.map((tar) => put(gzipSync(tar, { level: 1 }))));
  const diffIds = tars.map((tar) => digestOf(tar));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const config = { architecture, os: 'linux', config: runs, rootfs: { type: 'layers', diff_ids: diffIds } };
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      ...(await put(Buffer.from(JSON.stringify(config)))),
    },
    layers: pushed.map((layer) => ({ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip', ...layer })),
  };
  const headers = { 'content-type': manifest.mediaType };
  const done = await fetch(`${base}/manifests/${tag}`, { method: 'PUT', headers, body: JSON.stringify(manifest) });
  if (done.status !== 201) throw new Error(`manifest of ${name}: ${done.status} ${await done.text()}`);
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** A tar archive of programs, by path. */
function tarOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const entries = [...files].flatMap(([name, content]) => [
    tarHead(name, content.length),
    content,
    Buffer.alloc((512 - (content.length % 512)) % 512),
  ]);
  return Buffer.concat([...entries, Buffer.alloc(1_024)]);
}

function tarHead(name: string, bytes: number): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  const numbers: [string, number][] = [
    ['0000755\0', 100],
    ['0000000\0', 108],
    ['0000000\0', 116],
    [`${bytes.toString(8).padStart(11, '0')}\0`, 124],
    ['00000000000\0', 136],
    ['        ', 148],
    ['0', 156],
    ['ustar\0', 257],
    ['00', 263],
  ];
  for (const [text, at] of numbers) head.write(text, at, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return head;
}

function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr?.on('data', (chunk) => {
      log = `${log}${String(chunk)}`.slice(-10_000);
      const port = /listening on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
      if (port) resolve(Number(port));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`docker-registry ended with ${code}: ${log}`)));
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
