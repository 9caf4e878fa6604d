import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { PodNetwork } from './pod-network.js';

type Handler = (request: Request) => Response | Promise<Response>;

/** What a server of a container reaches. */
export interface ServerContext {
  readonly network: PodNetwork;
  /** Writes a line to the log of its container. */
  readonly log: (line: string) => void;
  /** How often the server `nettest` heard of each of its peers. */
  readonly received: Map<string, number>;
}

const hostnamePort = 9376;
const webPort = 8080;
const maxTries = 1_000;

/** Whether an image is the one of Kubernetes' own tests, `agnhost`. */
export function isImageForTests(image: string): boolean {
  return /(^|\/)agnhost(:|@|$)/.test(image);
}

/** Returns what a container of that image is told to run, such as `netexec` and its flags; undefined for other images. */
export function testServerOf({ image = '', command, args }: Container): readonly string[] | undefined {
  if (!isImageForTests(image)) return undefined;
  return [...(command?.length ? command : ['/agnhost']), ...(args ?? [])].slice(1);
}

/** Returns the port that a flag such as `--http-port=8083` of such a container names. */
export function portOf(flags: readonly string[], name: string, usual: number): number {
  const [, port = usual] = new RegExp(`(?:^| )--${name}[= ](\\d+)`).exec(flags.join(' ')) ?? [];
  return Number(port);
}

/** Returns the handler of a port of such a container; undefined where nothing listens, or what does is not simulated. */
export function testServerAnswer(
  pod: Pod,
  container: Container,
  port: number,
  context: ServerContext,
): Handler | undefined {
  const { env = [] } = container;
  const [server, ...flags] = testServerOf(container) ?? [];
  const hostname = pod.spec.hostname || (pod.metadata.name ?? '');
  if (server === 'serve-hostname' && port === hostnamePort) return () => text(hostname);
  if (server === 'porter') {
    const value = env.find(({ name }) => name === `SERVE_PORT_${port}`)?.value;
    if (typeof value !== 'string') return undefined;
    const isJson = flags.includes('--json-response');
    return ({ method }) => (isJson ? Response.json({ Method: method, Body: value }) : text(value));
  }
  if (server === 'netexec' && port === portOf(flags, 'http-port', webPort))
    return (request) => netexec(hostname, new URL(request.url), context);
  const isNettest = server === 'nettest' && port === portOf(flags, 'port', webPort);
  return isNettest ? (request) => nettest(hostname, request, context) : undefined;
}

function netexec(
  hostname: string,
  { pathname, searchParams }: URL,
  { log, network }: ServerContext,
): Response | Promise<Response> {
  switch (pathname.toLowerCase()) {
    case '/hostname':
      log('GET /hostName');
      return text(hostname);
    case '/echo':
      log(`GET /echo?msg=${searchParams.get('msg') ?? ''}&code=${searchParams.get('code') ?? ''}`);
      return text(searchParams.get('msg') ?? '');
    case '/healthz':
      log('GET /healthz');
      return new Response(null, { status: 200 });
    case '/dial':
      return dial(searchParams, network);
    default:
      return new Response('404 page not found\n', { status: 404 });
  }
}

/** Asks another server as often as it is told, and answers with what that said. */
async function dial(query: URLSearchParams, network: PodNetwork): Promise<Response> {
  const [address = '', port = '', path = ''] = ['host', 'port', 'request'].map((name) => query.get(name) ?? '');
  const [responses, errors]: [string[], string[]] = [[], []];
  for (let tries = Math.min(maxTries, Number(query.get('tries') || '1')); tries > 0; tries--) {
    const answer = await network.request({ address, port: Number(port), method: 'GET', path: `/${path}` });
    if (answer) responses.push(await answer.text());
    else
      errors.push(`Get "http://${address}:${port}/${path}": dial tcp ${address}:${port}: connect: connection refused`);
  }
  return text(JSON.stringify({ ...(responses.length > 0 && { responses }), ...(errors.length > 0 && { errors }) }));
}

/** Counts who wrote to it. */
async function nettest(hostname: string, request: Request, { received }: ServerContext): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/write') {
    const source = sourceOf(await request.text());
    if (source) received.set(source, (received.get(source) ?? 0) + 1);
    return Response.json({ Hostname: hostname });
  }
  if (pathname !== '/read') return new Response('404 page not found\n', { status: 404 });
  return Response.json({ Hostname: hostname, Received: Object.fromEntries(received) });
}

function sourceOf(body: string): string | undefined {
  try {
    const { Source: source } = JSON.parse(body);
    return typeof source === 'string' ? source : undefined;
  } catch {
    return undefined;
  }
}

function text(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'text/plain' } });
}
