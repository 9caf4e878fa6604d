import fc from 'fast-check';
import protobuf from 'protobufjs';
import { expect, test } from 'vitest';
import { framed, messageText, statusMessage, timeoutMs, unframed } from './grpc.js';
import { hasDigest, printable, registryOf, withDefaultTag } from './image-reference.js';
import { readImageStatusResponse } from './image-status.js';
import { pullImageRequest, readPullImageRequest } from './pull-image-request.js';
import { fieldsOf, WireError } from './wire.js';

/** The messages of the CRI, as its proto file numbers them, with a field that we do not know. */
const cri = protobuf.parse(`
  syntax = "proto3";
  message ImageSpec { string image = 1; map<string, string> annotations = 2; string user_specified_image = 18; string runtime_handler = 19; string image_ref = 20; }
  message AuthConfig { string username = 1; string password = 2; string auth = 3; string server_address = 4; string identity_token = 5; string registry_token = 6; }
  message PodSandboxMetadata { string name = 1; string uid = 2; string namespace = 3; uint32 attempt = 4; }
  message PodSandboxConfig { PodSandboxMetadata metadata = 1; string hostname = 2; map<string, string> labels = 6; map<string, string> annotations = 7; }
  message PullImageRequest { ImageSpec image = 1; AuthConfig auth = 2; PodSandboxConfig sandbox_config = 3; bytes later = 77; fixed64 wide = 78; }
  message Image { string id = 1; repeated string repo_tags = 2; repeated string repo_digests = 3; uint64 size = 4; bool pinned = 8; }
  message ImageStatusResponse { Image image = 1; map<string, string> info = 2; }
`).root;
const messages = (name: string) => cri.lookupType(name);

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const map = fc.dictionary(text, text, { maxKeys: 4, noNullPrototype: true });

test('readPullImageRequest() reads what another encoder wrote, whatever else is in it', () => {
  const request = fc.record({
    image: fc.record({ image: text, annotations: map, userSpecifiedImage: text, runtimeHandler: text }),
    auth: fc.option(fc.record({ username: text, password: text }), { nil: undefined }),
    sandboxConfig: fc.record({
      metadata: fc.record({ name: text, uid: text, namespace: text, attempt: fc.nat() }),
      labels: map,
      annotations: map,
    }),
    later: fc.uint8Array({ maxLength: 40 }),
    wide: fc.nat(),
  });
  fc.assert(
    fc.property(request, (sent) => {
      const read = readPullImageRequest(messages('PullImageRequest').encode(sent).finish());
      expect(read.image).toBe(sent.image.image);
      expect(Buffer.from(read.runtimeHandler).toString()).toBe(sent.image.runtimeHandler);
      expect(Object.fromEntries(read.annotations)).toEqual(sent.image.annotations);
      expect(Object.fromEntries(read.sandboxAnnotations)).toEqual(sent.sandboxConfig.annotations);
      const { name, uid, namespace } = sent.sandboxConfig.metadata;
      expect([read.podName, read.podUid, read.podNamespace]).toEqual([name, uid, namespace]);
      expect(read.auth === undefined).toBe(sent.auth === undefined);
    }),
    { numRuns: 500 },
  );
});

test('pullImageRequest() writes what another decoder reads', () => {
  const sandbox = { name: 'web', uid: 'u', namespace: 'shop' };
  const auth = { username: 'ann', password: 'p', registryToken: 't' };
  const written = pullImageRequest({ image: 'r.example/web:1', annotations: { a: 'b' }, auth, sandbox });
  expect(messages('PullImageRequest').toObject(messages('PullImageRequest').decode(written))).toEqual({
    image: { image: 'r.example/web:1', annotations: { a: 'b' } },
    auth,
    sandboxConfig: { metadata: sandbox },
  });
});

test('readImageStatusResponse() reads id, digests and size, and undefined when the image is not there', () => {
  const response = messages('ImageStatusResponse');
  const image = { id: 'sha256:1', repoTags: ['a:1'], repoDigests: ['a@sha256:2', 'b@sha256:3'], size: 12_345 };
  expect(readImageStatusResponse(response.encode({ image, info: { a: 'b' } }).finish())).toEqual({
    id: 'sha256:1',
    repoDigests: ['a@sha256:2', 'b@sha256:3'],
    sizeBytes: 12_345,
  });
  expect(readImageStatusResponse(response.encode({ info: {} }).finish())).toBeUndefined();
});

test('a message that is there twice is not read, because a runtime would merge the two', () => {
  const one = pullImageRequest({ image: 'a', auth: { username: 'ann' } });
  expect(() => readPullImageRequest(Buffer.concat([one, one]))).toThrow(WireError);
});

test('random bytes are read or a WireError, and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readPullImageRequest(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
      }
    }),
    { numRuns: 5_000 },
  );
});

test('a message cut off anywhere never reads as a longer one', () => {
  const whole = pullImageRequest({ image: 'registry.example/web:1', auth: { username: 'ann', password: 'secret' } });
  for (let length = 0; length < whole.length; length += 1) {
    try {
      expect([...fieldsOf(whole.subarray(0, length))].length).toBeLessThan(2);
    } catch (error) {
      expect(error).toBeInstanceOf(WireError);
    }
  }
});

test('unframed() gives back what framed() took, and refuses compressed, cut and several messages', () => {
  const frame = framed(Buffer.from('abc'));
  expect(unframed(frame)?.toString()).toBe('abc');
  expect(unframed(Buffer.concat([frame, frame]))).toBeUndefined();
  expect(unframed(frame.subarray(0, -1))).toBeUndefined();
  expect(unframed(Buffer.concat([Buffer.from([1]), frame.subarray(1)]))).toBeUndefined();
});

test('status messages survive the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (message) => {
      const encoded = statusMessage(message);
      expect(encoded).toMatch(/^[\x20-\x7e]*$/);
      expect(messageText(encoded)).toBe(Buffer.from(message).toString());
    }),
  );
});

test.each([
  ['1S', 1_000],
  ['250m', 250],
  ['2H', 7_200_000],
  ['99999999n', 99.999999],
  ['', undefined],
  ['1', undefined],
  ['123456789S', undefined],
])('timeoutMs(%s) is %s', (header, expected) => {
  expect(timeoutMs(header)).toBe(expected);
});

test.each([
  ['web', 'docker.io', 'web:latest', false],
  ['library/web:1', 'docker.io', 'library/web:1', false],
  ['localhost/web', 'localhost', 'localhost/web:latest', false],
  ['localhost:5000/a/web', 'localhost:5000', 'localhost:5000/a/web:latest', false],
  ['Registry.Example/web:1', 'registry.example', 'Registry.Example/web:1', false],
  [`r.example/web@sha256:${'a'.repeat(64)}`, 'r.example', `r.example/web@sha256:${'a'.repeat(64)}`, true],
])('a reference %s is of %s and means %s', (image, registry, full, digest) => {
  expect([registryOf(image), withDefaultTag(image), hasDigest(image)]).toEqual([registry, full, digest]);
});

test('printable() cuts and hides what would move a terminal', () => {
  expect(printable('a\u001b[2Jb')).toBe('a\ufffd[2Jb');
  expect(printable('x'.repeat(300))).toHaveLength(259);
});
