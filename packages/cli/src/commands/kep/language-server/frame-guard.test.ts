import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameError, frameGuard } from './frame-guard.js';
import { serveLanguage } from './serve-language.js';

const framed = (body: string, more = '') => `${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const request = (id: number, method: string, params: unknown = {}) =>
  framed(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
const initialize = request(1, 'initialize', { processId: null, rootUri: null, capabilities: {} });

/** Serves an input to its end, in chunks of a size. Gives what was answered, and how it ended. */
async function serve(text: string, chunkBytes = text.length, ends = true) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveLanguage({
    input,
    output,
    repositoryFor: () => {
      throw new Error('no checkout');
    },
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += chunkBytes) input.write(bytes.subarray(at, at + chunkBytes));
  if (ends) setImmediate(() => input.end());
  const end = await served.then(
    () => 'ended' as const,
    (error: unknown) => error,
  );
  // What was read is answered in later turns.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  return { end, answers: String(output.read() ?? '') };
}

// what comes | what is said
test.each([
  ['garbage, and silence', 'x', '"x" where a header was expected'],
  ['garbage before a header', `hello\r\n${initialize}`, '"h" where'],
  ['an escape sequence', '\x1b[31m', 'where a header was expected'],
  ['an empty line', `\r\n${initialize}`, 'where a header was expected'],
  ['an HTTP request', 'GET / HTTP/1.1\r\n', 'where a header was expected'],
  ['a header without end', `Content-Type: ${'a'.repeat(2_000)}`, 'a header of more than 1024 bytes'],
  ['a message of 10 GB', 'Content-Length: 10000000000\r\n\r\n', 'a message of 10000000000 bytes'],
  ['a length that is none', 'Content-Length: 1e3\r\n\r\n', 'without one Content-Length'],
  ['a negative length', 'Content-Length: -1\r\n\r\n', 'without one Content-Length'],
  ['no length', 'Content-Type: application/json\r\n\r\n', 'without one Content-Length'],
  ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 'without one Content-Length'],
])('serveLanguage() ends at %s, although the input goes on', async (_what, text, said) => {
  const { end } = await serve(text, 7, false);
  expect(end).toBeInstanceOf(FrameError);
  expect((end as Error).message).toContain(said);
});

test.each([
  ['no JSON', framed('{')],
  ['an empty message', framed('')],
  ['no message of JSON-RPC', framed('42') + framed('null') + framed('[]') + framed('{}')],
  ['a content type', framed('{}', 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n')],
])('serveLanguage() answers what comes after %s', async (_what, text) => {
  const { end, answers } = await serve(text + initialize);
  expect(end).toBe('ended');
  expect(answers).toContain('"capabilities"');
});

const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    'Content-Length: 5\r\n\r\n',
    'Content-Length:',
    '\r\n',
    '\r\n\r\n',
    '{}',
    'Content-Type: a\r\n',
    initialize,
  ),
  fc.string({ maxLength: 20 }).map((text) => framed(text)),
);

test('serveLanguage() answers or ends, whatever comes and however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), async (parts, chunkBytes) => {
      const before = Buffer.from(parts.join('')).toString('latin1');
      const { end } = await serve(before, chunkBytes);
      expect(end === 'ended' || end instanceof FrameError).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('frameGuard() passes on messages byte by byte as they are, and only those', async () => {
  const body = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => framed(text));
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), async (bodies, chunkBytes) => {
      const guard = frameGuard((error) => {
        throw error;
      });
      const bytes = Buffer.from(bodies.join(''));
      for (let at = 0; at < bytes.length; at += chunkBytes) guard.write(bytes.subarray(at, at + chunkBytes));
      guard.end();
      const chunks: Buffer[] = [];
      for await (const chunk of guard) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    }),
  );
});
