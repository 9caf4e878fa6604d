import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';

type Handler = (request: Request) => Response;

const hostnamePort = 9376;
const netexecPort = 8080;

/** Whether an image is the one of Kubernetes' own tests, `agnhost`. */
export function isImageForTests(image: string): boolean {
  return /(^|\/)agnhost(:|@|$)/.test(image);
}

/** Returns what a container of that image is told to run, such as `netexec` and its flags; undefined for other images. */
export function testServerOf({ image = '', command, args }: Container): readonly string[] | undefined {
  if (!isImageForTests(image)) return undefined;
  return [...(command?.length ? command : ['/agnhost']), ...(args ?? [])].slice(1);
}

/** Returns the handler of a port of such a container; undefined where nothing listens, or what does is not simulated. */
export function testServerAnswer(pod: Pod, container: Container, port: number): Handler | undefined {
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
  return server === 'netexec' && port === netexecPort
    ? (request) => netexec(hostname, new URL(request.url))
    : undefined;
}

function netexec(hostname: string, { pathname, searchParams }: URL): Response {
  switch (pathname.toLowerCase()) {
    case '/hostname':
      return text(hostname);
    case '/echo':
      return text(searchParams.get('msg') ?? '');
    case '/healthz':
      return new Response(null, { status: 200 });
    default:
      return new Response('404 page not found\n', { status: 404 });
  }
}

function text(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'text/plain' } });
}
