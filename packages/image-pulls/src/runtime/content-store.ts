import { framed, grpcCode, unframedAll } from '../cri/grpc.js';
import { bytesField, fieldsOf } from '../cri/wire.js';
import { type CallOpener, unaryCall } from './unary-call.js';

/** A blob that containerd is fetching: its reference says what and which, `layer-sha256:...`. */
export interface Ingest {
  readonly ref: string;
  readonly offset: number;
  /** 0 while it is not known. */
  readonly total: number;
}

/** A blob that containerd has. */
export interface Blob {
  readonly digest: string;
  readonly sizeBytes: number;
  /** Wall-clock milliseconds. */
  readonly createdMs: number;
  readonly labels: ReadonlyMap<string, string>;
}

/** The runtime serves no content store, or could not be asked. */
export class NoContentError extends Error {
  override readonly name = 'NoContentError';
  /** Whether this runtime never will: it is not containerd. */
  readonly isUnknown: boolean;

  constructor(code: number) {
    super(`the content store answered with code ${code}`);
    this.isUnknown = code === grpcCode.unimplemented;
  }
}

/**
 * What containerd fetches and has, over the socket its CRI is at. Only read. Images of a kubelet are in the
 * namespace `k8s.io`. Every method rejects with NoContentError, RuntimeAwayError or the reason of the signal.
 */
export class ContentStore {
  readonly #runtime: CallOpener;

  constructor(runtime: CallOpener) {
    this.#runtime = runtime;
  }

  /** The blobs that are being fetched now, for whichever image. */
  async ingests(signal: AbortSignal): Promise<readonly Ingest[]> {
    const messages = await this.#call('ListStatuses', Buffer.alloc(0), signal);
    return messages.flatMap((message) => children(message, 1).map(ingestOf));
  }

  /** The blobs that were fetched from a repository of a registry, for example of `web` at `registry.example`. */
  async blobsOf(registry: string, repository: string, signal: AbortSignal): Promise<readonly Blob[]> {
    const quoted = repository.replace(/[.+?]/g, '[$&]');
    const [host] = registry.split(':');
    const filter = `labels."${sourceLabel}${host}"~="(^|,)${quoted}(,|$)"`;
    const messages = await this.#call('List', bytesField(1, filter), signal);
    return messages.flatMap((message) => children(message, 1).map(blobOf));
  }

  /** The bytes of a blob, which should be a small one. */
  async read(digest: string, signal: AbortSignal): Promise<Buffer> {
    const messages = await this.#call('Read', bytesField(1, digest), signal);
    return Buffer.concat(messages.flatMap((message) => children(message, 2)));
  }

  async #call(method: string, message: Uint8Array, signal: AbortSignal): Promise<readonly Uint8Array[]> {
    const headers = { ':path': `/containerd.services.content.v1.Content/${method}`, 'containerd-namespace': 'k8s.io' };
    const { body, trailers } = await unaryCall(this.#runtime, headers, framed(message), signal);
    const code = Number(trailers['grpc-status']);
    if (code !== grpcCode.ok) throw new NoContentError(code);
    return unframedAll(body);
  }
}

/** containerd labels what it fetched with where from: the host, without a port, is in the name, the repositories are the value. */
const sourceLabel = 'containerd.io/distribution.source.';

function ingestOf(message: Uint8Array): Ingest {
  let [ref, offset, total] = ['', 0, 0];
  for (const field of fieldsOf(message)) {
    if (field.kind === 'bytes') {
      if (field.number === 3) ref = textOf(field.bytes);
    } else if (field.number === 4) offset = Number(field.value);
    else if (field.number === 5) total = Number(field.value);
  }
  return { ref, offset, total };
}

function blobOf(message: Uint8Array): Blob {
  let [digest, sizeBytes, createdMs] = ['', 0, 0];
  const labels = new Map<string, string>();
  for (const field of fieldsOf(message)) {
    if (field.kind === 'number') {
      if (field.number === 2) sizeBytes = Number(field.value);
    } else if (field.number === 1) digest = textOf(field.bytes);
    else if (field.number === 3) createdMs = timeOf(field.bytes);
    else if (field.number === 5) {
      const [[name = new Uint8Array()], [value = new Uint8Array()]] = [
        children(field.bytes, 1),
        children(field.bytes, 2),
      ];
      labels.set(textOf(name), textOf(value));
    }
  }
  return { digest, sizeBytes, createdMs, labels };
}

/** A protobuf Timestamp in milliseconds. */
function timeOf(message: Uint8Array): number {
  let ms = 0;
  for (const field of fieldsOf(message)) {
    if (field.kind === 'number') ms += field.number === 1 ? Number(field.value) * 1_000 : Number(field.value) / 1e6;
  }
  return ms;
}

function children(message: Uint8Array, number: number): Uint8Array[] {
  return [...fieldsOf(message)].flatMap((field) =>
    field.number === number && field.kind === 'bytes' ? [field.bytes] : [],
  );
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
