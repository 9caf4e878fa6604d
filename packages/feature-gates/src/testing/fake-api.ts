import { fieldOf, type GateFrame, type GateRequest, type GateResponse, type GateTransport } from '../uses/transport.js';

interface Watch {
  readonly path: string;
  readonly name: string | undefined;
  readonly send: (frame: GateFrame | Error | 'end') => void;
}

/** As much of an API server as reports and live values meet: objects by path, with versions, watches and faults. */
export class FakeApi implements GateTransport {
  readonly objects = new Map<string, object>();
  readonly requests: GateRequest[] = [];
  /** Answers instead of the server; an Error stands for a broken connection. */
  fault: (request: GateRequest) => GateResponse | Error | undefined = () => undefined;
  readonly #watches = new Set<Watch>();
  readonly #history: { readonly version: number; readonly path: string; readonly frame: GateFrame }[] = [];
  #version = 0;

  async request(request: GateRequest): Promise<GateResponse> {
    this.requests.push(request);
    const fault = this.fault(request);
    if (fault instanceof Error) throw fault;
    if (fault) return fault;
    const path = pathOf(request.path);
    switch (request.method) {
      case 'GET':
        return this.#get(request, path);
      case 'POST':
        return this.#create(request, path);
      case 'PATCH':
        return this.#patch(request, path);
      case 'DELETE':
        return this.#delete(request, path);
    }
  }

  async *stream(request: GateRequest, signal: AbortSignal): AsyncGenerator<GateFrame> {
    this.requests.push(request);
    const fault = this.fault(request);
    if (fault instanceof Error) throw fault;
    const queue: (GateFrame | Error | 'end')[] = [];
    let wake = () => {};
    const send = (frame: GateFrame | Error | 'end') => {
      queue.push(frame);
      wake();
    };
    const watch = { path: pathOf(request.path), name: nameSelector(request), send };
    const abort = () => send(new Error('aborted'));
    const since = Number(new URL(request.path, 'http://fake').searchParams.get('resourceVersion'));
    for (const { version, path, frame } of this.#history) if (version > since && concerns(watch, path)) send(frame);
    this.#watches.add(watch);
    signal.addEventListener('abort', abort);
    try {
      for (;;) {
        const next = queue.shift();
        if (next === 'end') return;
        if (next instanceof Error) throw next;
        if (next) yield next;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      this.#watches.delete(watch);
      signal.removeEventListener('abort', abort);
    }
  }

  get watches(): number {
    return this.#watches.size;
  }

  /** Stores an object, as any client may, and notifies the watches of its collection. */
  put(path: string, object: unknown): object {
    const known = this.objects.has(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const resourceVersion = String(++this.#version);
    const stored = merge(object, { metadata: { name, resourceVersion } }) as object;
    this.objects.set(path, stored);
    this.#tell(path, { type: known ? 'MODIFIED' : 'ADDED', object: stored });
    return stored;
  }

  remove(path: string): void {
    const object = this.objects.get(path);
    this.objects.delete(path);
    this.#version++;
    this.#tell(path, { type: 'DELETED', object });
  }

  /** Ends every watch, in good order or with an error. */
  endWatches(how: GateFrame | Error | 'end'): void {
    for (const watch of this.#watches) watch.send(how);
  }

  #get(request: GateRequest, path: string): GateResponse {
    const object = this.objects.get(path);
    if (object) return ok(object);
    if (!/\/(configmaps|features|featureuses|featurevectors)$/.test(path)) return notFound;
    const name = nameSelector(request);
    const items = [...this.objects].filter(([other]) => isIn(path, other) && (!name || other === `${path}/${name}`));
    return ok({ items: items.map(([, item]) => item), metadata: { resourceVersion: String(this.#version) } });
  }

  #patch(request: GateRequest, path: string): GateResponse {
    const object = this.objects.get(path);
    if (!object) return notFound;
    const expected = fieldOf(request.body, 'metadata', 'resourceVersion');
    const isOther = expected !== undefined && expected !== fieldOf(object, 'metadata', 'resourceVersion');
    return isOther ? { status: 409, body: { message: 'conflict' } } : ok(this.put(path, merge(object, request.body)));
  }

  #create(request: GateRequest, path: string): GateResponse {
    const own = `${path}/${String(fieldOf(request.body, 'metadata', 'name'))}`;
    if (this.objects.has(own)) return { status: 409, body: { message: 'already exists' } };
    return { status: 201, body: this.put(own, request.body) };
  }

  #delete(request: GateRequest, path: string): GateResponse {
    const object = this.objects.get(path);
    if (!object) return notFound;
    const wanted = fieldOf(request.body, 'preconditions', 'resourceVersion');
    const isOther = wanted !== undefined && wanted !== fieldOf(object, 'metadata', 'resourceVersion');
    if (isOther) return { status: 409, body: { message: 'the object has changed' } };
    this.remove(path);
    return ok({ kind: 'Status', status: 'Success' });
  }

  #tell(path: string, frame: GateFrame): void {
    this.#history.push({ version: this.#version, path, frame });
    for (const watch of this.#watches) if (concerns(watch, path)) watch.send(frame);
  }
}

const notFound: GateResponse = { status: 404, body: { message: 'not found' } };

function ok(body: unknown): GateResponse {
  return { status: 200, body };
}

function isIn(collection: string, path: string): boolean {
  return path.startsWith(`${collection}/`);
}

function concerns({ path, name }: Watch, changed: string): boolean {
  return isIn(path, changed) && (name === undefined || changed === `${path}/${name}`);
}

function pathOf(path: string): string {
  return path.split('?')[0] ?? '';
}

function nameSelector({ path }: GateRequest): string | undefined {
  return new URL(path, 'http://fake').searchParams.get('fieldSelector')?.replace('metadata.name=', '');
}

/** JSON merge patch. */
function merge(object: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof object === 'object' && object !== null && !Array.isArray(object);
  const merged = new Map<string, unknown>(isObject ? Object.entries(object) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
