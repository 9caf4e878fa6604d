import { createServer, type ServerHttp2Stream } from 'node:http2';

/**
 * A runtime as a program of its own, at the socket it is given: answers every call with 200 bytes, holds every pull,
 * and lets those of images called `link` come over a link that they share in equal parts.
 */
const answer = Buffer.concat([Buffer.from([0, 0, 0, 0, 200]), Buffer.alloc(200)]);
const imageMs = 200;
const tickMs = 5;
const pulls = new Map<ServerHttp2Stream, number>();

const server = createServer({ settings: { maxConcurrentStreams: 100_000 } });
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    if (!headers[':path']?.endsWith('/PullImage')) succeed(stream);
    else if (Buffer.concat(chunks).includes('/link/')) pulls.set(stream, imageMs);
  });
  stream.on('close', () => pulls.delete(stream));
});
setInterval(() => {
  const share = tickMs / Math.max(1, pulls.size);
  for (const [stream, leftMs] of pulls) {
    pulls.set(stream, leftMs - share);
    if (leftMs > share) continue;
    pulls.delete(stream);
    succeed(stream);
  }
}, tickMs);
server.listen(process.argv[2], () => process.stdout.write('ready\n'));

function succeed(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(answer);
}
