import { jsonLines } from './json-lines.js';
import { type GateRequest, type GateResponse, type GateTransport, RefusedError } from './transport.js';

/** Which `fetch`, and whom it asks. */
export interface FetchTransportOptions {
  readonly fetch: typeof fetch;
  /** For example `https://10.0.0.1:6443`. */
  readonly server: string;
  /** Asked before each request: tokens of a service account are replaced while the process runs. */
  readonly token?: () => string | Promise<string>;
}

/** A transport over the standard `fetch`, for Deno, Bun, a browser, or a Node process that has configured its own. */
export function fetchTransport(options: FetchTransportOptions): GateTransport {
  const send = async (request: GateRequest, signal: AbortSignal | undefined): Promise<Response> => {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (options.token) headers.authorization = `Bearer ${await options.token()}`;
    if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
    const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
    const abort = signal ? { signal } : {};
    return options.fetch(new URL(request.path, options.server), { method: request.method, headers, ...body, ...abort });
  };
  const answerOf = async (response: Response): Promise<GateResponse> => ({
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: parsed(await response.text()),
  });
  return {
    request: async (request) => answerOf(await send(request, request.signal)),
    async *stream(request, signal) {
      const response = await send(request, signal);
      if (response.status !== 200) throw new RefusedError('watching', await answerOf(response));
      if (response.body) yield* jsonLines(response.body);
    },
  };
}

/** The JSON value of an answer, or its text when it is something else: proxies answer with HTML. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
