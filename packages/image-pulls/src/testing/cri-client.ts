import { Client, credentials, Metadata, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { pullImageRequest } from '../cri/pull-image-request.js';

/** What a call brought: its messages, its metadata and its status. */
export interface CallResult {
  readonly messages: readonly Buffer[];
  readonly headers: Metadata;
  readonly code: number;
  readonly details: string;
  readonly trailers: Metadata;
}

/** A call that goes on. */
export interface OpenCall {
  readonly result: Promise<CallResult>;
  /** How many messages have come so far. */
  received(): number;
  cancel(): void;
}

/** A client as independent of our own code as can be: the gRPC library, with bytes for messages. */
export interface CriClient {
  call(path: string, message: Uint8Array, options?: CallOptions): OpenCall;
  pull(image: string, options?: CallOptions & Omit<Parameters<typeof pullImageRequest>[0], 'image'>): OpenCall;
  close(): void;
}

export interface CallOptions {
  readonly metadata?: Readonly<Record<string, string | readonly string[]>>;
  readonly deadlineMs?: number;
}

const asIs = (bytes: Buffer) => bytes;

export function criClient(socket: string): CriClient {
  const client = new Client(`unix://${socket}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 200,
  });
  const call = (path: string, message: Uint8Array, { metadata = {}, deadlineMs }: CallOptions = {}): OpenCall => {
    const sent = new Metadata();
    for (const [name, values] of Object.entries(metadata)) for (const value of [values].flat()) sent.add(name, value);
    const options = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
    const open = client.makeServerStreamRequest(path, asIs, asIs, Buffer.from(message), sent, options);
    const messages: Buffer[] = [];
    let headers = new Metadata();
    open.on('data', (received: Buffer) => messages.push(received));
    open.on('metadata', (received: Metadata) => {
      headers = received;
    });
    open.on('error', (_: ServiceError) => {});
    const result = new Promise<CallResult>((resolve) => {
      open.on('status', ({ code, details, metadata: trailers }: StatusObject) =>
        resolve({ messages, headers, code, details, trailers }),
      );
    });
    return { result, received: () => messages.length, cancel: () => open.cancel() };
  };
  return {
    call,
    pull: (image, { metadata, deadlineMs, ...request } = {}) =>
      call('/runtime.v1.ImageService/PullImage', pullImageRequest({ image, ...request }), {
        ...(metadata && { metadata }),
        ...(deadlineMs !== undefined && { deadlineMs }),
      }),
    close: () => client.close(),
  };
}
